import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import { inWords } from '../in-words.ts';
import type { ModelOptions } from '../role-store-model/sequences.ts';

/** A call and its inputs: it can be made on any store of the port, and be said. */
export interface Call<Port> {
  readonly said: string;
  /** What only the first call of a run may use; those after it are left out. */
  readonly spends: string | undefined;
  make(port: Port): Promise<unknown>;
}

/** Calls of one kind over the values of a run, and how often they come up. */
export interface Step<Port, Values> {
  readonly weight: number;
  callsOf(values: Values): fc.Arbitrary<Call<Port>>;
}

/** What is done with a port, and what stands beside it. */
export interface Sequences<Port, Values> {
  /** A sound store over empty data of its own, whose answers are right. */
  reference(): Promise<Pick<Subject<Port>, 'port' | 'dispose'>>;
  /** What the calls of one run are made of: few values, so that calls meet, each nearly another. */
  readonly values: fc.Arbitrary<Values>;
  /** The most calls of one run; 60 when absent. */
  readonly turns?: number;
  readonly steps: readonly Step<Port, Values>[];
  /** Everything that can be asked, so that whatever a step changed shows. */
  readonly look: Step<Port, Values>;
}

/** How long a shorter sequence is looked for, in milliseconds. */
const SHORTENED_FOR = 20_000;

/** Makes steps for a port: weight, name, the inputs, the call, and what it spends, if anything. */
export function stepsFor<Port, Values>() {
  return <Inputs extends unknown[]>(
    weight: number,
    name: string,
    inputs: (values: Values) => { [Index in keyof Inputs]: fc.Arbitrary<Inputs[Index]> },
    make: (port: Port, ...inputs: Inputs) => Promise<unknown>,
    spends?: (...inputs: Inputs) => string,
  ): Step<Port, Values> => ({
    weight,
    callsOf: (values) =>
      fc.tuple<Inputs>(...inputs(values)).map((given) => ({
        said: `${name} ${given.map((input) => JSON.stringify(input)).join(', ')}`,
        spends: spends?.(...given),
        // Each store has inputs of its own, as each process would.
        make: (port) => make(port, ...structuredClone(given)),
      })),
  });
}

/** A call on one of the handles, perhaps once more on the other, and whether both are looked at after it. */
interface Turn<Port> {
  readonly call: Call<Port>;
  readonly handle: number;
  readonly again: boolean;
  readonly look: Call<Port> | undefined;
}

/** What was asked, what was answered and what should have been. */
interface Answer {
  readonly said: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

function turnsOf<Port, Values>(
  { steps, look, turns: most = 60 }: Sequences<Port, Values>,
  values: Values,
): fc.Arbitrary<readonly Turn<Port>[]> {
  const call = fc.oneof(...steps.map(({ weight, callsOf }) => ({ weight, arbitrary: callsOf(values) })));
  const turn = fc.record({
    call,
    handle: fc.nat({ max: 1 }),
    again: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
    look: fc.option(look.callsOf(values), { nil: undefined, freq: 2 }),
  });
  const withWords = fc.record({
    turns: fc.array(turn, { maxLength: most, size: 'max' }),
    last: look.callsOf(values),
  });
  return withWords.map(({ turns, last }) => {
    const all = [...turns, { call: last, handle: 0, again: false, look: last }];
    return Object.assign(all, { [fc.toStringMethod]: () => all.map(inLines).join('') });
  });
}

function inLines<Port>({ call, handle, again, look }: Turn<Port>): string {
  const handles = again ? `${handle}, then ${1 - handle}` : handle;
  return `\n  ${call.said} on handle ${handles}${look === undefined ? '' : `\n  ${look.said} on both`}`;
}

async function play<Port>(
  turns: readonly Turn<Port>[],
  subject: Subject<Port>,
  reference: Port,
): Promise<void> {
  const handles = [subject.port, await subject.peer()];
  const answers: Answer[] = [];
  const ask = async ({ said, make }: Call<Port>, ports: readonly Port[]): Promise<void> => {
    const expected = await make(reference);
    for (const port of ports) {
      const answer = { said, actual: await make(port), expected };
      agree(answer, said);
      answers.push(answer);
    }
  };
  const spent: Set<string> = new Set();
  for (const { call, handle, again, look } of turns) {
    for (const n of again ? [handle, 1 - handle] : [handle]) {
      if (call.spends !== undefined && spent.has(call.spends)) continue;
      if (call.spends !== undefined) spent.add(call.spends);
      await ask(call, handles.slice(n, n + 1));
    }
    if (look !== undefined) await ask(look, handles);
  }
  for (const answer of answers) agree(answer, `in the end, what had been answered to ${answer.said}`);
}

function agree({ actual, expected }: Answer, said: string): void {
  // It is quicker than chai, and no less exact.
  if (isDeepStrictEqual(actual, expected)) return;
  try {
    expect(actual, said).to.deep.equal(expected);
  } catch (error) {
    throw inWords(error);
  }
}

/** Makes random sequences of calls on a store and on a sound one, and compares what both answer. */
export async function checkSequences<Port, Values>(
  sequences: Sequences<Port, Values>,
  create: () => Promise<Subject<Port>>,
  { runs = 100, seed }: ModelOptions,
): Promise<void> {
  const all = sequences.values.chain((values) => turnsOf(sequences, values));
  let shortensUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(all, async (turns) => {
    // A sequence that was found is told, even where each shorter one takes long to try.
    if (Date.now() > shortensUntil) return;
    const subject = await create();
    const reference = await sequences.reference();
    try {
      await play(turns, subject, reference.port);
    } catch (error) {
      shortensUntil = Math.min(shortensUntil, Date.now() + SHORTENED_FOR);
      throw error;
    } finally {
      await reference.dispose();
      await subject.dispose();
    }
  });
  await fc.assert(property, {
    numRuns: runs,
    includeErrorInReport: true,
    ...(seed === undefined ? {} : { seed }),
  });
}
