import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type AccountId, accountId, type RoleState } from '@pinfold/core';
import { parseRoleState, ROLE_STATES } from '@pinfold/core/adapter';
import { UsageError } from './failures.ts';

/** A command's options and positional arguments, taken apart. */
export interface Arguments<Options extends ParseArgsOptionsConfig> {
  readonly values: ReturnType<
    typeof parseArgs<{ options: Options & typeof COMMON; strict: true; allowPositionals: true }>
  >['values'];
  readonly positionals: readonly string[];
}

const COMMON: { readonly json: { readonly type: 'boolean' } } = { json: { type: 'boolean' } };

/**
 * Takes arguments apart; `--json` goes without saying.
 *
 * @param names what the positional arguments are.
 * @param needed how many of them have to be there; all when absent.
 * @throws UsageError for an unknown option, a missing value, and too few or too many arguments.
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  names: readonly string[],
  options: Options,
  needed: number = names.length,
): Arguments<Options> {
  const parsed = parse(args, options);
  const missing = names[parsed.positionals.length];
  if (parsed.positionals.length < needed && missing !== undefined)
    throw new UsageError(`${missing} is missing`);
  // What it is may be a secret that was meant for an option.
  if (parsed.positionals.length > names.length) throw new UsageError('there are too many arguments');
  return parsed;
}

function parse<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): Arguments<Options> {
  try {
    return parseArgs({ args, options: { ...options, ...COMMON }, strict: true, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError) || !('code' in error)) throw error;
    // Only the first sentence is about what was typed.
    throw new UsageError(error.message.split('. ')[0] ?? error.message, { cause: error });
  }
}

/**
 * Reads the name of a file or folder. An empty one, as a variable gives that is not set, would be the folder that the
 * caller stands in.
 */
export function readPlace(text: string | undefined, name: string): string {
  if (text === undefined || text === '') throw new UsageError(`${name} is missing`);
  return text;
}

/** Reads the value of `--account`. */
export function readAccount(name: string): AccountId {
  try {
    return accountId(name);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Reads the value of `--state`. */
export function readState(text: string): RoleState {
  const state = parseRoleState(text);
  if (state === undefined) throw new UsageError(`--state is one of ${ROLE_STATES.join(', ')}`);
  return state;
}
