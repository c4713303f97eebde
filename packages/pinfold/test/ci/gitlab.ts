import { readFile } from 'node:fs/promises';
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

/** The jobs of a file of GitLab CI, with what they extend. */
export async function readJobs(): Promise<Readonly<Record<string, Job>>> {
  const file = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'gitlab-ci.yml');
  const jobs: Readonly<Record<string, Job>> = parse(await readFile(file, 'utf8'));
  const whole = Object.entries(jobs).map(([name, job]) => {
    const base = job.extends === undefined ? {} : (jobs[job.extends] ?? {});
    return [name, { ...base, ...job, variables: { ...base.variables, ...job.variables } }] as const;
  });
  return Object.fromEntries(whole);
}

/** Runs the script of a job as a runner does; variables of the project override those of the file. */
export function runJob(name: string, job: Job, env: Env, workspace: Workspace): Promise<CommandRun> {
  const variables = { ...job.variables, CI: 'true', CI_JOB_NAME: name, ...env };
  return workspace.run(['sh', '-e'], (job.script ?? []).join('\n'), variables);
}
