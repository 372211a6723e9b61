// The page and its state are in the address after "#", so that a link shares both.
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  page: string;
  params: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [page, query] = hash.replace(/^#\/?/, '').split('?', 2);
  return { page: page || 'fleet', params: new URLSearchParams(query ?? '') };
}

// Parameters that are empty or undefined are left out.
export function routeText(page: string, params: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${page}${text === '' ? '' : `?${text}`}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return parseRoute(hash);
}

// Changes some parameters of the page. `replace`: without a step in the browser's history.
export function setParams(changes: Record<string, string | number | undefined>, replace = false): void {
  const { page, params } = parseRoute(location.hash);
  const text = routeText(page, { ...Object.fromEntries(params), ...changes });
  if (text === location.hash) return;
  if (!replace) {
    location.hash = text;
    return;
  }
  history.replaceState(null, '', text);
  dispatchEvent(new HashChangeEvent('hashchange'));
}
