import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The page asks its own origin, so that no browser needs CORS.
const proxy = { '/graphql': process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:4000' };

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } });
