// The frame of all pages: navigation, theme, token.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { setToken, token } from './api/connect';
import { useRoute } from './base/route';
import { Decisions } from './pages/decisions';
import { Fleet } from './pages/fleet';
import { Jobs } from './pages/jobs';
import { Live } from './pages/live';
import { Machine } from './pages/machine';
import { Patterns } from './pages/patterns';
import { WhatIf } from './pages/whatif';
import { Badge, Field, Progress } from './parts/common';
import { Machines, NameMachine, UnknownMachine, useMachineStates } from './parts/machines';
import './style.css';

const PAGES = [
  { id: 'fleet', title: 'Fleet', Page: Fleet },
  { id: 'machine', title: 'Machine', Page: Machine },
  { id: 'decisions', title: 'Decisions', Page: Decisions },
  { id: 'whatif', title: 'What if', Page: WhatIf },
  { id: 'jobs', title: 'Jobs', Page: Jobs },
  { id: 'live', title: 'Live', Page: Live },
  { id: 'patterns', title: 'Patterns', Page: Patterns },
];

const USES_MACHINE = ['machine', 'decisions', 'whatif', 'live', 'patterns'];

type Theme = 'light' | 'dark';

const THEME_KEY = 'cox-theme';

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(THEME_KEY);
    if (stored === 'light' || stored === 'dark') return stored;
  } catch {
    // A browser that keeps nothing follows the system.
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  document.documentElement.dataset.theme = theme;
  const toggle = () => {
    const next = theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(THEME_KEY, next);
    } catch {
      // Then only for this visit.
    }
    setTheme(next);
  };
  return [theme, toggle];
}

function TokenForm(props: { onDone: () => void }) {
  const [value, setValue] = useState(token());
  return (
    <form
      class="card token"
      onSubmit={(event) => {
        event.preventDefault();
        setToken(value);
        props.onDone();
      }}
    >
      <p>coxd asks who you are. Paste a token; <code>cox token create</code> makes one. This tab keeps it until it is closed.</p>
      <Field label="Token">
        {(id) => <input id={id} type="password" autocomplete="off" value={value} onInput={(event) => setValue(event.currentTarget.value)} />}
      </Field>
      <button type="submit" class="primary">Use it</button>
    </form>
  );
}

function App() {
  const { page, params } = useRoute();
  const [theme, toggleTheme] = useTheme();
  const states = useMachineStates();
  const [logins, setLogins] = useState(0); // a page asks anew, as another caller
  const current = PAGES.find((each) => each.id === page) ?? PAGES[0]!;
  useEffect(() => {
    document.title = `${current.title} · Coxswain`;
  }, [current.title]);
  const machine = params.get('machine');
  const query = machine === null ? '' : `?machine=${encodeURIComponent(machine)}`;
  const away = states.error?.code === 'unavailable';
  const asks = states.error?.code === 'unauthenticated' || states.error?.code === 'permission_denied';
  return (
    <Machines.Provider value={states}>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}>Skip to the page</a>
      <header class="top">
        <a class="brand" href="#/fleet"><img src="icon.svg" alt="" width="28" height="28" /> Coxswain</a>
        <nav aria-label="Pages">
          {PAGES.map(({ id, title }) => (
            <a key={id} href={`#/${id}${query}`} aria-current={id === current.id ? 'page' : undefined}>{title}</a>
          ))}
        </nav>
        <span class="state" role="status">
          {away ? <Badge tone="bad" title={states.error?.message}>coxd is away</Badge> : states.data ? <Badge tone="good">coxd answers</Badge> : <Badge tone="plain">connecting</Badge>}
        </span>
        <button type="button" class="quiet" onClick={toggleTheme}>{theme === 'dark' ? 'Light' : 'Dark'}</button>
      </header>
      <main id="main" tabIndex={-1}>
        {asks && <TokenForm onDone={() => {
          setLogins(logins + 1);
          states.again();
        }} />}
        <Progress of={[{ slow: states.slow }]} />
        {USES_MACHINE.includes(current.id) && <><NameMachine /><UnknownMachine /></>}
        <current.Page key={`${current.id} ${logins}`} />
      </main>
      <footer>{!asks && token() === '' && <><a href="metrics">Metrics</a> · </>}<a href="readyz">Ready?</a> · times in your zone, sizes in powers of 1024; hover a number for its SI value</footer>
    </Machines.Provider>
  );
}

render(<App />, document.getElementById('app') as HTMLElement);
