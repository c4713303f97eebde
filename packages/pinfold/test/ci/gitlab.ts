import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CommandRun } from '../command-run.ts';
import { type Stub, startStub } from '../servers/stub.ts';
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

/** The two jobs of the template for GitLab CI, including what they extend. */
export async function readJobs(): Promise<Readonly<Record<'publish' | 'stop', Job>>> {
  const file = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'gitlab-ci.yml');
  const jobs: Readonly<Record<string, Job>> = parse(await readFile(file, 'utf8'));
  const extendedJob = (name: string): Job => {
    const job = jobs[name];
    if (job === undefined) throw new Error(`the template has no job ${name}`);
    const base = job.extends === undefined ? {} : (jobs[job.extends] ?? {});
    return { ...base, ...job, variables: { ...base.variables, ...job.variables } };
  };
  return { publish: extendedJob('pinfold'), stop: extendedJob('pinfold-stop') };
}

/** Runs the script of a job like a runner; variables of the project override those of the file. */
export function runJob(name: string, job: Job, env: Env, workspace: Workspace): Promise<CommandRun> {
  const variables = { ...job.variables, CI: 'true', CI_JOB_NAME: name, ...env };
  return workspace.run(['sh', '-e'], (job.script ?? []).join('\n'), variables);
}

/** A server that answers every publication, with any URL of its name, even an invalid one. */
export function serveNameUrl(url: string): Promise<Stub> {
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
  return startStub((request, response) => {
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
}
