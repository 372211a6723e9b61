// The machines, for the pages that ask about one.
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { num, bareName, type MachineState } from '../api/types';
import { type Asked, callPages, useAsk } from '../base/hooks';
import { setParams, useRoute } from '../base/route';
import { Command, Empty, Select } from './common';

const EVERY_MS = 5000;

export const useMachineStates = (): Asked<MachineState[]> =>
  useAsk('states', async (signal) =>
    (await callPages<{ states?: MachineState[]; nextPageToken?: string }, MachineState>(
      'HistoryService/ListMachineStates', { pageSize: 1000 }, (page) => page.states, signal)).items, EVERY_MS);

export const Machines = createContext<Asked<MachineState[]>>({ slow: false, again: () => undefined });

export const nameOf = (state: MachineState): string => bareName(state.name);

// Machines with observations of their own come first: they are the site's.
export const byUse = (a: MachineState, b: MachineState): number =>
  Number(b.lastObservationTime !== undefined) - Number(a.lastObservationTime !== undefined) ||
  Number(b.machine.provenance !== 'PROVENANCE_PUBLISHED') - Number(a.machine.provenance !== 'PROVENANCE_PUBLISHED') ||
  num(b.observationCount) - num(a.observationCount) || a.name.localeCompare(b.name);

// The machine that the address names, else the most used one.
export function useMachine(): { name: string; state?: MachineState; states: MachineState[] } {
  const asked = useContext(Machines);
  const { params } = useRoute();
  const states = [...(asked.data ?? [])].sort(byUse);
  const wanted = params.get('machine') ?? '';
  const state = states.find((each) => nameOf(each) === wanted) ?? (wanted === '' ? states[0] : undefined);
  return { name: state ? nameOf(state) : wanted, state, states };
}

// `clears`: a parameter of the address that a choice removes.
export function MachineSelect(props: { label?: string; param?: string; none?: string; clears?: string }) {
  const { name, states } = useMachine();
  const { params } = useRoute();
  const param = props.param ?? 'machine';
  const options = states.map((state) => ({ value: nameOf(state), label: nameOf(state) }));
  return (
    <Select
      label={props.label ?? 'Machine'}
      value={param === 'machine' ? name : (params.get(param) ?? '')}
      options={props.none === undefined ? options : [{ value: '', label: props.none }, ...options]}
      onChange={(value) => setParams({ [param]: value, ...(props.clears ? { [props.clears]: '' } : {}) })}
    />
  );
}

// Puts the machine into the address where there is none: the most used machine may be another one
// soon, here and for whoever gets the link.
export function NameMachine() {
  const { name } = useMachine();
  const isNamed = (useRoute().params.get('machine') ?? '') !== '';
  useEffect(() => {
    if (!isNamed && name !== '') setParams({ machine: name }, true);
  }, [isNamed, name]);
  return null;
}

// Of a link to a machine that coxd does not have, or has no longer.
export function UnknownMachine() {
  const { data } = useContext(Machines);
  const { params } = useRoute();
  const wanted = params.get('machine') ?? '';
  if (data === undefined || data.length === 0 || wanted === '' || data.some((state) => nameOf(state) === wanted)) return null;
  return (
    <Empty title={`There is no machine ${wanted}.`}>
      <p>Choose one on the page <a href="#/fleet">Fleet</a>.</p>
    </Empty>
  );
}

export function NoMachine() {
  const { data } = useContext(Machines);
  if (data === undefined) return null; // nobody knows yet
  return (
    <Empty title="There is no machine yet.">
      <p>Measure this cluster once. It takes a minute, and every page fills itself.</p>
      <Command text="cox calibrate mycluster" />
    </Empty>
  );
}
