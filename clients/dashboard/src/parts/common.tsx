// Small parts that all pages share.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Asked } from '../base/hooks';

export function Card(props: { title?: string; hint?: ComponentChildren; tools?: ComponentChildren; children: ComponentChildren; class?: string }) {
  return (
    <section class={`card ${props.class ?? ''}`}>
      {(props.title || props.tools) && (
        <header>
          {props.title && <h2>{props.title}</h2>}
          {props.tools && <div class="tools">{props.tools}</div>}
        </header>
      )}
      {props.hint && <p class="hint">{props.hint}</p>}
      {props.children}
    </section>
  );
}

// What to do where there is nothing to see.
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty" role="status">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

export function Command(props: { text: string }) {
  return (
    <div class="command">
      <code>{props.text}</code>
      <Copy text={props.text} what="the command" />
    </div>
  );
}

// The state of an answer: an error with what to do, or a bar that moves while it is slow.
export function Progress(props: { of: Pick<Asked<unknown>, 'error' | 'slow'>[] }) {
  const error = props.of.find((asked) => asked.error)?.error;
  const slow = props.of.some((asked) => asked.slow);
  return (
    <div class="progress" aria-live="polite">
      {slow && <div class="bar" role="progressbar" aria-label="waiting for coxd" />}
      {error && (
        <p class="error" role="alert">
          <strong>{error.code.replaceAll('_', ' ')}</strong> {error.message}
        </p>
      )}
    </div>
  );
}

export function Copy(props: { text: string; what: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <button type="button" class="quiet copy" onClick={copy} aria-label={copied ? `Copied ${props.what}` : (props.label ?? `Copy ${props.what}`)}>
      <span aria-live="polite">{copied ? 'Copied' : (props.label ?? 'Copy')}</span>
    </button>
  );
}

export function Field(props: { label: string; children: (id: string) => ComponentChildren; hint?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(id)}
      {props.hint && <small>{props.hint}</small>}
    </div>
  );
}

export function Select(props: { label: string; value: string; options: (string | { value: string; label: string })[]; onChange: (value: string) => void; disabled?: boolean }) {
  return (
    <Field label={props.label}>
      {(id) => (
        <select id={id} value={props.value} disabled={props.disabled} onChange={(event) => props.onChange(event.currentTarget.value)}>
          {props.options.map((option) => {
            const { value, label } = typeof option === 'string' ? { value: option, label: option } : option;
            return (
              <option key={value} value={value} selected={value === props.value}>
                {label}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

// A whole number >= `min`. Changes count when the field is left or Enter is pressed.
export function NumberField(props: { label: string; value: number; min: number; max?: number; onChange: (value: number) => void }) {
  return (
    <Field label={props.label}>
      {(id) => (
        <input
          id={id}
          type="number"
          min={props.min}
          max={props.max}
          step={1}
          value={props.value}
          onChange={(event) => {
            const value = Math.round(Number(event.currentTarget.value));
            if (value >= props.min) props.onChange(Math.min(value, props.max ?? Number.MAX_SAFE_INTEGER));
          }}
        />
      )}
    </Field>
  );
}

// A slider over whole steps, with its meaning as text.
export function Slider(props: { label: string; value: number; min: number; max: number; step?: number; text: string; onInput: (value: number) => void }) {
  return (
    <Field label={props.label}>
      {(id) => (
        <div class="slider">
          <input
            id={id}
            type="range"
            min={props.min}
            max={props.max}
            step={props.step ?? 1}
            value={props.value}
            aria-valuetext={props.text}
            onInput={(event) => props.onInput(Number(event.currentTarget.value))}
          />
          <output for={id}>{props.text}</output>
        </div>
      )}
    </Field>
  );
}

// Asks before something that changes what jobs get.
export function Confirm(props: { title: string; children: ComponentChildren; action: string; onYes: () => void; onNo: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={props.onNo}>
      <h2 id={title}>{props.title}</h2>
      {props.children}
      <div class="tools">
        <button type="button" class="quiet" onClick={props.onNo}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={props.onYes}>
          {props.action}
        </button>
      </div>
    </dialog>
  );
}

// The first of many rows, and a button for more: drawing thousands at each answer would hold up the tab.
export function useFirst<T>(rows: T[], step = 200): [T[], ComponentChildren] {
  const [count, setCount] = useState(step);
  const left = rows.length - count;
  return [rows.slice(0, count), left > 0 && (
    <button type="button" class="quiet" onClick={() => setCount(count + step)}>Show {Math.min(step, left)} more of {left}</button>
  )];
}

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

// A state in words, with a mark that needs no colour.
export function Badge(props: { tone: Tone; children: ComponentChildren; title?: string }) {
  const mark = { good: '●', warn: '▲', bad: '■', plain: '○' }[props.tone];
  return (
    <span class={`badge ${props.tone}`} title={props.title}>
      <span aria-hidden="true">{mark}</span> {props.children}
    </span>
  );
}

export function Stat(props: { label: string; value: ComponentChildren; title?: string; tone?: Tone }) {
  return (
    <div class={`stat ${props.tone ?? ''}`} title={props.title}>
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
