import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The page asks its own origin, so that no browser needs CORS.
const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:4000';
const proxy = { '/graphql': gateway, '/exports': gateway };

// Here the client package is a link, whose sources find no React of their own. One that is installed needs no `resolve`.
export default defineConfig({
  plugins: [react()],
  resolve: { dedupe: ['react'] },
  server: { proxy },
  preview: { proxy },
});
