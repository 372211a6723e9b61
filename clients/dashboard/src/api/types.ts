// The messages of cox.v1 that the pages use. In JSON, 64-bit numbers are strings, and fields that
// are zero or empty are absent: read numbers with num().

type Int64 = string | number;

export const num = (value: Int64 | undefined): number => (value === undefined ? 0 : Number(value));

// "machines/a" -> "a".
export const bareName = (name: string): string => name.split('/').pop() ?? name;

export interface Machine {
  name: string;
  nodes?: Int64;
  coresPerNode?: Int64;
  topology?: { kind?: string; dims?: Int64[] };
  createTime?: string;
  pinnedRevision?: Int64;
  provenance?: string;
}

export interface Drift {
  id?: Int64;
  library?: string;
  collective?: string;
  level?: string;
  minBlockBytes?: Int64;
  maxBlockBytes?: Int64;
  factor?: number;
  observationCount?: Int64;
  createTime?: string;
  evidence?: DriftEvidence[];
}

export interface DriftEvidence {
  library?: string;
  collective?: string;
  algorithm?: string;
  nodes?: Int64;
  ppn?: Int64;
  ranks?: Int64;
  blockBytes?: Int64;
  factor?: number;
  observationCount?: Int64;
}

export interface MachineState {
  name: string;
  machine: Machine;
  profileRevision?: Int64;
  profileTime?: string;
  observationCount?: Int64;
  droppedCount?: Int64;
  jobCount?: Int64;
  lastObservationTime?: string;
  driftCount?: Int64;
  lastDrift?: Drift;
}

export interface Parameter {
  model: string;
  level: string;
  name: string;
  value?: number;
  stderr?: number;
  unit?: string;
  source?: string;
  above?: number;
  relation?: string;
}

export interface Profile {
  name: string;
  revision?: Int64;
  provenance?: string;
  note?: string;
  parameters?: Parameter[];
  createTime?: string;
  active?: boolean;
}

export interface HeldRevision {
  baseRevision?: Int64;
  factor?: number;
  observationCount?: Int64;
  sources?: string[];
}

export interface PredictionError {
  medianError?: number | string;
  p90Error?: number | string;
  largestError?: number | string;
  cellCount?: Int64;
}

export interface AccuracyRow {
  library?: string;
  collective?: string;
  fromBlockBytes?: Int64;
  toBlockBytes?: Int64;
  models?: { model: string; error?: PredictionError }[];
  bestModel?: string;
  leftOut?: PredictionError;
  selectedModel?: string;
}

export interface Accuracy {
  rows?: AccuracyRow[];
  model?: string;
  unpricedModels?: { model: string; reason?: string }[];
  profileRevision?: Int64;
}

export interface Alternative {
  algorithm: string;
  strategy?: string;
  predictedTimeS?: number;
  intervalS?: number[];
}

export interface Recommendation {
  algorithm?: string;
  nativeId?: number;
  strategy?: string;
  predictedTimeS?: number;
  intervalS?: number[];
  defaultTimeS?: number;
  defaultAlgorithm?: string;
  model?: string;
  reason?: string;
  alternatives?: Alternative[];
  profileRevision?: Int64;
  error?: string;
  jobTimeS?: number;
  jobIntervalS?: number[];
  evidence?: string[];
  caveats?: string[];
}

export interface Strategy {
  name: string;
  collective: string;
  algorithm?: string;
  description?: string;
  nativeName?: string;
}

export interface ParameterSpec {
  name: string;
  level: string;
  unit?: string;
  description?: string;
}

export interface Model {
  id: string;
  description?: string;
  parameters?: ParameterSpec[];
}

export interface Grid {
  strategies?: string[];
  timeS?: number[];
  model?: string;
  profileRevision?: Int64;
}

export interface ObservedTimes {
  library: string;
  collective: string;
  algorithm: string;
  nodes?: Int64;
  ppn?: Int64;
  ranks?: Int64;
  blockBytes?: Int64;
  typeBytes?: Int64;
  startTime?: string;
  observationCount?: Int64;
  timingCount?: Int64;
  totalTimeS?: number;
  p10TimeS?: number;
  medianTimeS?: number;
  p90TimeS?: number;
  measurement?: string;
}

export interface Job {
  name: string;
  machines?: string[];
  source?: string;
  observationCount?: Int64;
  droppedCount?: Int64;
  firstTime?: string;
  lastTime?: string;
  reporterCount?: Int64;
}

export interface SavingsRow {
  startTime?: string;
  library?: string;
  collective?: string;
  job?: string;
  application?: string;
  callCount?: number;
  comparedCallCount?: number;
  canaryCallCount?: number;
  spentS?: number;
  savedS?: number;
  intervalS?: number[];
  savedRankS?: number;
}

export interface Withdrawal {
  id?: Int64;
  library?: string;
  collective?: string;
  algorithm?: string;
  nodes?: Int64;
  ppn?: Int64;
  ranks?: Int64;
  minBlockBytes?: Int64;
  maxBlockBytes?: Int64;
  factor?: number;
  pairCount?: Int64;
  jobCount?: Int64;
  createTime?: string;
  ended?: boolean;
}

export interface Savings {
  rows?: SavingsRow[];
  withdrawals?: Withdrawal[];
  truncated?: boolean;
}

export interface Prediction {
  strategy?: string;
  model?: string;
  timeS?: number;
  terms?: { name: string; timeS?: number }[];
  units?: number;
  caveat?: string;
}

export interface PatternAnswer {
  predictions?: Prediction[];
  messageCount?: Int64;
  volumeBytes?: number;
  pairCount?: Int64;
  maxSends?: Int64;
  maxReceives?: Int64;
  maxOutBytes?: number;
  maxInBytes?: number;
}

export interface Kernel {
  name: string;
  description?: string;
  variants?: string[];
  size?: string;
  needs?: string;
  source?: string;
}
