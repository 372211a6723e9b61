import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // A data: address would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: { proxy: { '^/(cox\\.v1|healthz|readyz|metrics)': 'http://127.0.0.1:7078' } },
});
