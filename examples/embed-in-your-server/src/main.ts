// Starts the example by hand: SECRET=… DEMO_PASSWORD=… node src/main.ts
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createServerApp } from './server-app.ts';

const { DEMO_PASSWORD, SECRET, PORT = '3000' } = process.env;
if (DEMO_PASSWORD === undefined || SECRET === undefined) throw new Error('set DEMO_PASSWORD and SECRET');

const dataDir = resolve('data');
await mkdir(dataDir, { recursive: true, mode: 0o700 });
const { app, pinfold } = await createServerApp({
  dataDir,
  publicUrl: `http://localhost:${PORT}`,
  secret: SECRET,
  checkPassword: async (name, password) =>
    password === DEMO_PASSWORD
      ? { id: name, name: `${name.at(0)?.toUpperCase()}${name.slice(1)}` }
      : undefined,
});
const sweeps = setInterval(() => void pinfold.sweep().catch(console.error), 600_000);
const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`http://localhost:${PORT}`));
process.once('SIGTERM', () => {
  clearInterval(sweeps);
  server.close(() => void pinfold.close());
});
