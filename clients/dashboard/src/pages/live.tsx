// Timings and revisions as they come. A stream that breaks connects again by itself.
import { useEffect, useState } from 'preact/hooks';
import { watch } from '../api/connect';
import { num, type ObservedTimes, type Profile } from '../api/types';
import { useCall, useNow, whileShown } from '../base/hooks';
import { agoText, bytesText, countText, timeText, whenText } from '../base/units';
import { Chart } from '../parts/chart';
import { Badge, Card, Command, Empty, Progress, Stat } from '../parts/common';
import { MachineSelect, NoMachine, useMachine } from '../parts/machines';

const WINDOW_S = 600;
const BUCKET_S = 10;
const EVERY_MS = 2000;
const MOST_EVENTS = 50;

interface Event {
  at: number;
  profile: Profile;
}

interface Feed {
  connected: boolean;
  why: string;
  events: Event[];
}

// A revision that comes again after a reconnection is no new event.
export function addEvent(events: Event[], event: Event): Event[] {
  if (events.some((each) => each.profile.name === event.profile.name)) return events;
  return [event, ...events].slice(0, MOST_EVENTS);
}

function useFeed(machine: string): Feed {
  const [feed, setFeed] = useState<Feed>({ connected: false, why: 'connecting', events: [] });
  useEffect(() => {
    if (machine === '') return undefined;
    setFeed({ connected: false, why: 'connecting', events: [] });
    const onState = (connected: boolean, why: string) => setFeed((old) => ({ ...old, connected, why }));
    return whileShown((signal) => {
      onState(false, 'connecting');
      void watch<Profile>(
        'ProfileService/WatchProfile',
        { parent: `machines/${machine}` },
        (profile) => setFeed((old) => ({ ...old, events: addEvent(old.events, { at: Date.now(), profile }) })),
        onState,
        signal,
      );
    });
  }, [machine]);
  return feed;
}

export interface Bucket {
  at: number; // seconds since 1970
  timings: number;
  totalS: number;
}

// One bucket for each BUCKET_S, also where nothing came.
export function bucketsOf(rows: ObservedTimes[], startS: number, endS: number): Bucket[] {
  const buckets = new Map<number, Bucket>();
  for (let at = Math.floor(startS / BUCKET_S) * BUCKET_S; at <= endS; at += BUCKET_S) buckets.set(at, { at, timings: 0, totalS: 0 });
  for (const row of rows) {
    const at = Math.floor(new Date(row.startTime ?? 0).getTime() / 1000 / BUCKET_S) * BUCKET_S;
    const bucket = buckets.get(at);
    if (bucket === undefined) continue;
    bucket.timings += num(row.timingCount);
    bucket.totalS += row.totalTimeS ?? 0;
  }
  return [...buckets.values()];
}

export function Live() {
  const { name, state, states } = useMachine();
  const feed = useFeed(state ? name : '');
  const nowMs = useNow(EVERY_MS);
  const startMs = Math.floor((nowMs - WINDOW_S * 1000) / 60_000) * 60_000;
  const asked = useCall<{ times?: ObservedTimes[]; truncated?: boolean }>('HistoryService/SummarizeObservations',
    state ? { machine: name, startTime: new Date(startMs).toISOString(), bucketS: BUCKET_S } : null, EVERY_MS, name);
  if (states.length === 0 && name === '') return <><h1>Live</h1><NoMachine /></>;
  const rows = asked.data?.times ?? [];
  // The question begins at a whole minute, so that it stays the same for as long.
  const buckets = bucketsOf(rows, nowMs / 1000 - WINDOW_S, nowMs / 1000);
  const timings = buckets.reduce((sum, bucket) => sum + bucket.timings, 0);
  const latest = [...rows].reverse().slice(0, 30);
  return (
    <>
      <h1>Live</h1>
      <Card>
        <div class="form">
          <MachineSelect />
          <div class="field">
            <span class="label">Stream</span>
            <span role="status" class="live-state">{feed.connected ? <Badge tone="good">connected</Badge> : <Badge tone="warn">reconnecting</Badge>} {!feed.connected && <small>{feed.why}</small>}</span>
          </div>
        </div>
      </Card>
      <Progress of={[asked]} />
      {asked.data?.truncated && <p class="hint" role="status">Only the newest timings are summed up here: this machine reports more in ten minutes than one answer holds.</p>}
      <dl class="stats">
        <Stat label="Timings in 10 min" value={countText(timings)} />
        <Stat label="Time in collectives" value={timeText(buckets.reduce((sum, bucket) => sum + bucket.totalS, 0))} />
        <Stat label="Revision" value={feed.events[0] ? `r${num(feed.events[0].profile.revision)}` : '–'} />
        <Stat label="Last learned" value={agoText(feed.events[0]?.profile.createTime, nowMs)} />
      </dl>
      {asked.data && timings === 0 && (
        <Empty title="No timing in the last ten minutes.">
          <p>Timings appear here seconds after a job sends them.</p>
          <Command text={`cox run --machine ${name} --mode observe -- mpirun -n 4 ./app`} />
        </Empty>
      )}
      {timings > 0 && (
        <Card title="Timings per second">
          <Chart title="Timings per second" xName="time" yName="timings per second" time height={220} xs={buckets.map((bucket) => bucket.at)}
            lines={[{ name: 'timings per second', strong: true, values: buckets.map((bucket) => bucket.timings / BUCKET_S) }]}
            xText={(x) => new Date(x * 1000).toLocaleTimeString()} yText={(y) => countText(Number(y.toPrecision(3)))} />
        </Card>
      )}
      <div class="columns">
        <Card title="Revisions">
          {feed.events.length === 0 ? <Empty title="Waiting for the first revision." /> : (
            <ol class="timeline">
              {feed.events.map(({ at, profile }) => (
                <li key={profile.name}>
                  <time dateTime={new Date(at).toISOString()} title={whenText(profile.createTime)}>{agoText(profile.createTime, nowMs)}</time>
                  <strong>r{num(profile.revision)}</strong>
                  <span>{profile.note || (profile.provenance ?? '').replace('PROVENANCE_', '').toLowerCase()}</span>
                </li>
              ))}
            </ol>
          )}
        </Card>
        <Card title="Latest timings">
          {latest.length === 0 ? <Empty title="None yet." /> : (
            <div class="scroll short" tabIndex={0} role="region" aria-label="Latest timings">
              <table class="list">
                <thead><tr><th scope="col">When</th><th scope="col">Collective</th><th scope="col">Ran</th><th scope="col" class="number" title="of all ranks that report a call">Timings</th><th scope="col" class="number">Median</th></tr></thead>
                <tbody>
                  {latest.map((row) => (
                    <tr key={`${row.startTime}${row.library}${row.collective}${row.algorithm}${num(row.nodes)}/${num(row.ranks)}/${num(row.blockBytes)}/${num(row.typeBytes)}`}>
                      <td title={whenText(row.startTime)}>{agoText(row.startTime, nowMs)}</td>
                      <th scope="row">{row.collective} <small>{bytesText(num(row.blockBytes))}</small></th>
                      <td>{row.algorithm}</td>
                      <td class="number">{countText(num(row.timingCount))}</td>
                      <td class="number">{timeText(row.medianTimeS)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Card>
      </div>
    </>
  );
}
