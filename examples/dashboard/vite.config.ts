import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  clearScreen: false,
  // The package for frontends, and the looks of the gateway's own pages, are read from their sources.
  server: { fs: { allow: ['.', '../../client/src', '../../src/explorer'] } },
  // The chart library is most of the page; it is one file because all of it is shown at once.
  build: { chunkSizeWarningLimit: 1000 },
});
