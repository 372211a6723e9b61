// What an arbitrary pattern of messages costs by each route, and how kernels scale.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, CallError, stream } from '../api/connect';
import { type Kernel, num, type PatternAnswer, type Prediction } from '../api/types';
import { type Message, parsePattern } from '../base/csv';
import { type Asked, useAsk, useCall } from '../base/hooks';
import { setParams, useRoute } from '../base/route';
import { bytesText, countText, powersOfTwo, timeText } from '../base/units';
import { Chart } from '../parts/chart';
import { Card, Empty, Field, NumberField, Progress, Select, Stat } from '../parts/common';
import { MachineSelect, NoMachine, useMachine } from '../parts/machines';

const ROUTES = ['direct', 'mesh2d', 'grid3d', 'hypercube'];
const MESSAGES_PER_REQUEST = 50_000;
const MATRIX_PIXELS = 320;

interface Pattern {
  name: string;
  messages: Message[];
  ranks: number;
}

export function toPattern(name: string, text: string): Pattern {
  const messages = parsePattern(text);
  const ranks = messages.reduce((most, message) => Math.max(most, message.source, message.destination), 0) + 1;
  return { name, messages, ranks };
}

// Ring neighbours and a transpose: something to look at before one has a file.
export function examplePattern(): Pattern {
  const side = 8;
  const messages: Message[] = [];
  for (let rank = 0; rank < side * side; ++rank) {
    messages.push({ source: rank, destination: (rank + 1) % (side * side), bytes: 65536 });
    const transposed = (rank % side) * side + Math.floor(rank / side);
    if (transposed !== rank) messages.push({ source: rank, destination: transposed, bytes: 4096 });
  }
  return { name: 'example: ring and transpose of 8 × 8', messages, ranks: side * side };
}

async function price(machine: string, ppn: number, pattern: Pattern, routes: string[], signal: AbortSignal) {
  const requests: object[] = [{ header: { machine, ranks: pattern.ranks, ppn, routes } }];
  for (let at = 0; at < pattern.messages.length; at += MESSAGES_PER_REQUEST) {
    const part = pattern.messages.slice(at, at + MESSAGES_PER_REQUEST);
    requests.push({ sources: part.map((m) => m.source), destinations: part.map((m) => m.destination), blockBytes: part.map((m) => m.bytes) });
  }
  let answer: PatternAnswer = {};
  await stream<PatternAnswer>('AdviceService/EvaluatePattern', requests, (message) => {
    answer = message;
  }, signal);
  return answer;
}

// A route that cannot carry this number of ranks must not hide the others.
async function priceRoutes(machine: string, ppn: number, pattern: Pattern, signal: AbortSignal): Promise<PatternAnswer> {
  try {
    return await price(machine, ppn, pattern, ROUTES, signal);
  } catch (error) {
    if (!(error instanceof CallError) || error.code === 'unavailable') throw error;
  }
  const answers: PatternAnswer[] = [];
  let refused: unknown;
  for (const route of ROUTES) {
    try {
      answers.push(await price(machine, ppn, pattern, [route], signal));
    } catch (error) {
      refused = error;
    }
  }
  if (answers.length === 0) throw refused;
  return { ...answers[0], predictions: answers.flatMap((answer) => answer.predictions ?? []) };
}

// The matrix of bytes as an image: the darker, the more.
function Matrix(props: { pattern: Pattern }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { messages, ranks } = props.pattern;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const side = Math.min(ranks, MATRIX_PIXELS);
    const sums = new Float64Array(side * side);
    for (const { source, destination, bytes } of messages) {
      const at = Math.floor((source * side) / ranks) * side + Math.floor((destination * side) / ranks);
      sums[at] = (sums[at] ?? 0) + bytes;
    }
    const most = Math.log1p(sums.reduce((a, b) => Math.max(a, b), 1));
    const image = new ImageData(side, side);
    sums.forEach((bytes, i) => {
      const share = bytes > 0 ? 0.15 + (0.85 * Math.log1p(bytes)) / most : 0;
      image.data.set([245 - 235 * share, 247 - 168 * share, 250 - 142 * share, 255], 4 * i);
    });
    context.canvas.width = side;
    context.canvas.height = side;
    context.putImageData(image, 0, 0);
  }, [messages, ranks]);
  return (
    <figure class="matrix">
      <canvas ref={canvas} role="img" aria-label={`Bytes that each of ${ranks} ranks sends to each: ${messages.length} messages`} />
      <figcaption>rows send, columns receive; darker is more</figcaption>
    </figure>
  );
}

const amountText = (prediction: Prediction) =>
  prediction.timeS ? timeText(prediction.timeS) : prediction.units ? `${countText(prediction.units)} units` : '–';

function PatternCard(props: { machine: string; cores: number }) {
  const [pattern, setPattern] = useState<Pattern | null>(null);
  const loads = useRef(0); // a file may have changed, and kept its name
  const [problem, setProblem] = useState('');
  const [over, setOver] = useState(false);
  const [ppn, setPpn] = useState(props.cores);
  const asked: Asked<PatternAnswer> = useAsk(
    pattern === null ? null : `${props.machine}/${ppn}/${loads.current}`,
    (signal) => priceRoutes(props.machine, ppn, pattern as Pattern, signal));
  const show = (next: Pattern) => {
    ++loads.current;
    setPattern(next);
  };
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      show(toPattern(file.name, await file.text()));
      setProblem('');
    } catch (error) {
      setPattern(null);
      setProblem(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const answer = asked.data;
  const predictions = [...(answer?.predictions ?? [])].sort((a, b) => (a.timeS ?? 0) - (b.timeS ?? 0));
  const slowest = Math.max(...predictions.map((prediction) => prediction.timeS ?? 0), 1e-12);
  return (
    <Card title="A pattern of messages" hint="Which route is the fastest for messages that no collective describes?">
      <div
        class={`drop ${over ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void read(event.dataTransfer?.files[0]);
        }}
      >
        <Field label="Drop a CSV of src,dst,bytes here, or choose one">
          {(id) => <input id={id} type="file" accept=".csv,text/csv" onClick={(event) => { event.currentTarget.value = ''; }} onChange={(event) => read(event.currentTarget.files?.[0])} />}
        </Field>
        <button type="button" class="quiet" onClick={() => show(examplePattern())}>Show an example</button>
        <NumberField label="Ranks per node" value={ppn} min={1} onChange={setPpn} />
      </div>
      {problem !== '' && <p class="error" role="alert">{problem}</p>}
      <Progress of={[asked]} />
      {pattern && (
        <>
          <dl class="stats">
            <Stat label="Pattern" value={pattern.name} />
            <Stat label="Ranks" value={countText(pattern.ranks)} />
            <Stat label="Messages" value={countText(pattern.messages.length)} />
            <Stat label="Bytes" value={answer ? bytesText(answer.volumeBytes ?? 0) : '–'} title={`${answer?.volumeBytes ?? 0} bytes`} />
            <Stat label="Busiest rank sends" value={answer ? bytesText(answer.maxOutBytes ?? 0) : '–'} />
            <Stat label="Busiest rank receives" value={answer ? bytesText(answer.maxInBytes ?? 0) : '–'} />
          </dl>
          <div class="split">
            <Matrix pattern={pattern} />
            <div class="scroll" tabIndex={0} role="region" aria-label="Routes">
              <table class="list">
                <thead><tr><th scope="col">Route</th><th scope="col">Model</th><th scope="col" class="number">Predicted</th><th scope="col">Against the slowest</th><th scope="col">Where the time goes</th></tr></thead>
                <tbody>
                  {predictions.map((prediction) => (
                    <tr key={`${prediction.strategy}${prediction.model}`} title={prediction.caveat}>
                      <th scope="row">{prediction.strategy}</th>
                      <td>{prediction.model}</td>
                      <td class="number" title={`${prediction.timeS ?? '?'} s`}>{amountText(prediction)}</td>
                      <td><meter min={0} max={slowest} value={prediction.timeS ?? 0} aria-label={amountText(prediction)} /></td>
                      <td class="note">{(prediction.terms ?? []).map((term) => `${term.name} ${timeText(term.timeS)}`).join(', ')}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </div>
        </>
      )}
    </Card>
  );
}

// Numbers of ranks that the kernel can have at this size: p a square or a cube, n a multiple of its
// root, of the root's square, or of p.
export function ranksFor(needs: string, size: number, most: number): number[] {
  const [power, divisor] = needs.includes('cube') ? [3, 2] : needs.includes('a square') ? [2, 1] : [1, 1];
  return powersOfTwo(2, most).map((root) => ({ ranks: root ** power, divides: root ** divisor }))
    .filter(({ ranks, divides }) => ranks <= most && size % divides === 0).map(({ ranks }) => ranks);
}

interface Scaled {
  ranks: number;
  predictions: Prediction[];
}

async function scale(machine: string, kernel: string, size: number, ranks: number[], signal: AbortSignal): Promise<Scaled[]> {
  const answers: Scaled[] = [];
  let refused: unknown;
  for (const p of ranks) {
    try {
      const answer = await call<{ predictions?: Prediction[] }>('AdviceService/EvaluateKernel', { machine, kernel, size, ranks: p, model: 'all' }, signal);
      answers.push({ ranks: p, predictions: answer.predictions ?? [] });
    } catch (error) {
      if (signal.aborted) throw error;
      refused = error; // such as ranks that must be a square
    }
  }
  if (answers.length === 0 && refused !== undefined) throw refused;
  return answers;
}

function KernelCard(props: { machine: string; mostRanks: number }) {
  const { params } = useRoute();
  const kernels = useCall<{ kernels?: Kernel[] }>('ModelService/ListKernels', {});
  const all = kernels.data?.kernels ?? [];
  const kernel = all.find((each) => each.name === params.get('kernel')) ?? all[0];
  const size = Math.max(1, Number(params.get('n') ?? 4096));
  const ranks = ranksFor(kernel?.needs ?? '', size, props.mostRanks);
  const asked = useAsk(kernel ? `${props.machine}/${kernel.name}/${size}/${ranks.length}` : null,
    (signal) => scale(props.machine, kernel?.name ?? '', size, ranks, signal));
  const scaled = asked.data ?? [];
  const models = [...new Set(scaled.flatMap((each) => each.predictions.filter((p) => (p.timeS ?? 0) > 0).map((p) => p.model ?? '')))];
  return (
    <Card title="Scaling of a kernel" hint={kernel ? `${kernel.description ?? ''}. Size: ${kernel.size ?? ''}. ${kernel.needs ? `Needs ${kernel.needs} (p ranks, size n). ` : ''}${kernel.source ?? ''}` : undefined}>
      <div class="form">
        <Select label="Kernel" value={kernel?.name ?? ''} options={all.map((each) => each.name)} onChange={(value) => setParams({ kernel: value })} />
        <NumberField label={`Size${kernel?.size ? ` (${kernel.size})` : ''}`} value={size} min={1} onChange={(n) => setParams({ n })} />
      </div>
      <Progress of={[kernels, asked]} />
      {asked.data && models.length === 0 && (
        <Empty title={ranks.length === 0 ? 'No number of ranks fits this size.' : 'No model of this machine can price the kernel.'}>
          {ranks.length === 0 && <p>Choose a size with more factors of two.</p>}
        </Empty>
      )}
      {models.length > 0 && (
        <Chart
          title={`${kernel?.name}, n = ${size}`} xName="ranks" yName="time of the kernel" xs={scaled.map((each) => each.ranks)} log height={340} file={`kernel-${kernel?.name}`}
          lines={models.map((model) => ({ name: model, values: scaled.map((each) => each.predictions.find((p) => p.model === model)?.timeS ?? null) }))}
          xText={(x) => countText(x)} yText={timeText}
        />
      )}
    </Card>
  );
}

export function Patterns() {
  const { name, state, states } = useMachine();
  if (states.length === 0 && name === '') return <><h1>Patterns and kernels</h1><NoMachine /></>;
  const cores = Math.max(1, num(state?.machine.coresPerNode));
  return (
    <>
      <h1>Patterns and kernels</h1>
      <Card><div class="form"><MachineSelect /></div></Card>
      {state && <PatternCard key={name} machine={name} cores={cores} />}
      {state && <KernelCard machine={name} mostRanks={Math.max(64, Math.min(65536, num(state.machine.nodes) * cores))} />}
    </>
  );
}
