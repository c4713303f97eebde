import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CommandRun } from '../command-run.ts';
import type { Env, Workspace } from './shell.ts';

export interface Job {
  readonly extends?: string;
  readonly variables?: Env;
  readonly script?: readonly string[];
  readonly resource_group?: string;
  readonly environment?: Readonly<Record<'name' | 'url' | 'on_stop' | 'action', string>>;
  readonly artifacts?: { readonly reports?: { readonly dotenv: string } };
  readonly rules?: readonly Readonly<Record<string, unknown>>[];
}

/** The jobs of a file of GitLab CI, including what they extend. */
export async function readJobs(): Promise<Readonly<Record<string, Job>>> {
  const file = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'gitlab-ci.yml');
  const jobs: Readonly<Record<string, Job>> = parse(await readFile(file, 'utf8'));
  const extendedJobs = Object.entries(jobs).map(([name, job]) => {
    const base = job.extends === undefined ? {} : (jobs[job.extends] ?? {});
    return [name, { ...base, ...job, variables: { ...base.variables, ...job.variables } }] as const;
  });
  return Object.fromEntries(extendedJobs);
}

/** Runs the script of a job like a runner; variables of the project override those of the file. */
export function runJob(name: string, job: Job, env: Env, workspace: Workspace): Promise<CommandRun> {
  const variables = { ...job.variables, CI: 'true', CI_JOB_NAME: name, ...env };
  return workspace.run(['sh', '-e'], (job.script ?? []).join('\n'), variables);
}

/** A server that answers every publication, with any URL of its name, even an invalid one. */
export async function serveNameUrl(url: string) {
  const id = '5e9d2f60-71c3-4a84-9b0e-2d6f8a1c3b57';
  const date = '2026-11-20T12:00:00.000Z';
  const pin = {
    id,
    title: null,
    state: 'published',
    shared_url: `http://share.example/s/${id}`,
    password_protected: false,
    pinned: false,
    published_at: date,
    expires_at: null,
    deleted_at: null,
    file_count: 1,
    size: 1,
    original_filename: 'dist.zip',
  };
  const name = { name: 'pr-7', url, pin: id, updated_at: date };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isRead = request.method === 'GET';
      response.writeHead(isRead ? 404 : 201, {
        'content-type': `application/${isRead ? 'problem+' : ''}json`,
      });
      response.end(
        JSON.stringify(isRead ? { code: 'not_found', detail: 'none' } : { pin, name, warnings: [] }),
      );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}
