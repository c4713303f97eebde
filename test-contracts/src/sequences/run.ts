import type { FaultCode, HistoryStore } from '@pinfold/core';
import fc from 'fast-check';
import type { StoreSubject, Subject } from '../contract.ts';
import { expectFaults } from '../expect-faults.ts';
import { expectUnheard, type Manner, manners } from './manners.ts';
import { Play } from './play.ts';

/** How often and from where a property is tried. */
export interface ModelOptions {
  /** How many random runs; 100 when absent. */
  readonly runs?: number;
  /** The seed of the random values: the seed of a failed run repeats it. */
  readonly seed?: number;
  /** Whether the shortest failure is looked for once there is one, for some 20 s; true when absent. */
  readonly shortest?: boolean;
}

/** A call and its inputs: it can be made on any store of the port, and has a text for messages. */
export interface Call<Port> {
  readonly description: string;
  /** A value that only the first call of a run may use; later calls with it are left out. */
  readonly spends: string | undefined;
  /** Whether it changes nothing and takes a signal. */
  readonly isQuestion?: boolean;
  /** Whether it is never made at once with others: it is several calls of the port, or its outcome is open. */
  readonly alone?: boolean;
  /** Inputs for one time: each store has inputs of its own, as each process would. */
  inputs(): unknown[];
  make(port: Port, inputs: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
}

/** Calls of one kind over the values of a run, and how often they come up. */
export interface Step<Port, Values> {
  readonly weight: number;
  callsOf(values: Values): fc.Arbitrary<Call<Port>>;
}

/** A sound store, with which another one is compared. */
export interface Reference<Port> extends Pick<Subject<Port>, 'port' | 'dispose'> {
  readonly history?: HistoryStore;
}

/** The calls to make on a port, and the reference to compare it with. */
export interface Sequences<Port, Values> {
  /** A sound store over empty data of its own, whose answers are right, and what keeps its events. */
  reference(): Promise<Reference<Port>>;
  /** The values for the calls of one run: few, and similar to one another, so that calls affect the same records. */
  readonly values: fc.Arbitrary<Values>;
  /** The most calls of one run; 60 when absent. */
  readonly turns?: number;
  readonly steps: readonly Step<Port, Values>[];
  /** All reads, to show every change of a step. */
  readonly read: Step<Port, Values>;
  /**
   * The state of a reference that answers do not show. If given, calls are also made concurrently, and callers change
   * their inputs and answers: no call may depend on the answer to another one.
   */
  readonly holds?: (reference: Port) => Promise<unknown>;
  /** The code of the fault of every call while the backend does not answer. */
  readonly fault?: FaultCode;
}

/** A subject with further handles, if its author can provide them. */
export type Reachable<Port> = Subject<Port> & Partial<Pick<StoreSubject<Port>, 'unreachable' | 'history'>>;

/** How long to look for a shorter failing sequence, in milliseconds. */
const SHORTENED_FOR = 20_000;

/** Generates the inputs of a call: each by itself, or all together if one depends on another. */
type Arbitraries<Inputs extends unknown[]> =
  | fc.Arbitrary<Inputs>
  | { [Index in keyof Inputs]: fc.Arbitrary<Inputs[Index]> };

/** Makes steps for a port: weight, name, the inputs, the call, and what it spends, if anything. */
export function stepsFor<Port, Values>() {
  return <Inputs extends unknown[]>(
    weight: number,
    name: string,
    inputs: (values: Values) => Arbitraries<Inputs>,
    make: (port: Port, ...inputs: Inputs) => Promise<unknown>,
    spends?: (...inputs: Inputs) => string,
  ): Step<Port, Values> => ({
    weight,
    callsOf: (values) =>
      inputsOf(inputs(values)).map((given) => ({
        description: `${name} ${given.map((input) => JSON.stringify(input)).join(', ')}`,
        spends: spends?.(...given),
        inputs: () => structuredClone(given),
        make: (port, inputs) => make(port, ...(inputs as Inputs)),
      })),
  });
}

function inputsOf<Inputs extends unknown[]>(each: Arbitraries<Inputs>): fc.Arbitrary<Inputs> {
  return each instanceof fc.Arbitrary ? each : fc.tuple<Inputs>(...each);
}

type MethodOf<Port> = {
  [Name in keyof Port]: Port[Name] extends (...inputs: never[]) => Promise<unknown> ? Name : never;
}[keyof Port] &
  string;
type Method = (...inputs: unknown[]) => Promise<unknown>;
type InputsOf<Port, Name extends keyof Port> = Port[Name] extends (...inputs: infer Inputs) => unknown
  ? Inputs
  : never;

/** Makes steps that call one method: weight, method, its inputs, and what the call spends, if anything. */
export function methodsFor<Port, Values>() {
  return <Name extends MethodOf<Port>>(
    weight: number,
    name: Name,
    inputs: (values: Values) => Arbitraries<InputsOf<Port, Name>>,
    spends?: (...inputs: InputsOf<Port, Name>) => string,
  ): Step<Port, Values> => {
    const call = (port: Port, ...given: InputsOf<Port, Name>) => (port[name] as Method)(...given);
    return stepsFor<Port, Values>()(weight, name, inputs, call, spends);
  };
}

/** Makes steps that call a method which changes nothing; the signal it takes is aborted now and then. */
export function questionsFor<Port, Values>() {
  return <Name extends MethodOf<Port>>(
    ...[weight, name, inputs]: [number, Name, (values: Values) => Arbitraries<InputsOf<Port, Name>>]
  ): Step<Port, Values> => ({
    weight,
    callsOf: (values) =>
      methodsFor<Port, Values>()(weight, name, inputs)
        .callsOf(values)
        .map((call) => ({
          ...call,
          isQuestion: true,
          make: (port, given, signal) => (port[name] as Method)(...given, signal),
        })),
  });
}

/** A step that is never taken at once with others: it is several calls, or the port leaves open what it does. */
export function alone<Port, Values>({ weight, callsOf }: Step<Port, Values>): Step<Port, Values> {
  return { weight, callsOf: (values) => callsOf(values).map((call) => ({ ...call, alone: true })) };
}

/** A call on one of the handles, perhaps with others at once, or once more on the other; and whether both are looked at after it. */
export interface Turn<Port> {
  readonly call: Call<Port>;
  readonly handle: number;
  readonly again: boolean;
  readonly beside: readonly { readonly call: Call<Port>; readonly handle: number }[];
  readonly manner: Manner;
  readonly read: Call<Port> | undefined;
}

/** Few calls come with others: the same, one of its kind, or any. */
function besideOf<Port>(calls: readonly fc.Arbitrary<Call<Port>>[]): fc.Arbitrary<Turn<Port>['beside']> {
  const other = fc.record({ call: fc.oneof(...calls), handle: fc.nat({ max: 1 }) });
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.tuple(other) },
    { weight: 1, arbitrary: fc.tuple(other, other) },
  );
}

function turnsOf<Port, Values>(
  { steps, read, turns: most = 60 }: Sequences<Port, Values>,
  values: Values,
): fc.Arbitrary<readonly Turn<Port>[]> {
  const kinds = steps.map(({ weight, callsOf }) => ({ weight, arbitrary: callsOf(values) }));
  const called = fc.oneof(
    ...kinds.map(({ weight, arbitrary: kind }) => ({
      weight,
      arbitrary: kind.chain((call) =>
        fc.record({
          call: fc.constant(call),
          beside: besideOf([fc.constant(call), kind, fc.oneof(...kinds)]),
        }),
      ),
    })),
  );
  const how = fc.record({
    handle: fc.nat({ max: 1 }),
    again: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
    manner: manners,
    read: fc.option(read.callsOf(values), { nil: undefined, freq: 2 }),
  });
  const turn = fc.tuple(called, how).map(([calls, more]) => ({ ...calls, ...more }));
  const withWords = fc.record({
    turns: fc.array(turn, { maxLength: most, size: 'max' }),
    last: read.callsOf(values),
    manner: manners,
  });
  return withWords.map(({ turns, last, manner }) => {
    const all = [...turns, { call: last, handle: 0, again: false, beside: [], manner, read: last }];
    return Object.assign(all, { [fc.toStringMethod]: () => all.map(inLines).join('') });
  });
}

function inLines<Port>({ call, handle, again, beside, manner, read }: Turn<Port>): string {
  const handles = again ? `${handle}, then ${1 - handle}` : handle;
  const others = beside.map(
    (other) => `\n    at once with ${other.call.description} on handle ${other.handle}`,
  );
  const { abort, spoils } = manner;
  const when = typeof abort === 'number' ? `after ${abort} turns` : abort;
  const how = [
    call.isQuestion && when !== undefined ? `, aborted ${when}` : '',
    spoils ? ', with inputs and answers changed later' : '',
  ];
  const reads = read === undefined ? '' : `\n  ${read.description} on both`;
  return `\n  ${call.description} on handle ${handles}${how.join('')}${others.join('')}${reads}`;
}

/** How many calls a port that does not answer is tried with. */
const IN_VAIN = 12;

/** While nothing answers, each call fails: alone, at once with all the others, and the second time as the first. */
async function playInVain<Port>(turns: readonly Turn<Port>[], port: Port, code: FaultCode): Promise<void> {
  const { signal } = new AbortController();
  const calls = turns.slice(-IN_VAIN).map(({ call }) => call);
  const make = ({ make, inputs }: Call<Port>): Promise<unknown> => make(port, inputs(), signal);
  for (const call of calls) {
    await expectFaults(code, { [call.description]: make(call) });
    expectUnheard(signal, call.description);
  }
  const atOnce = calls.map((call, n) => [`${call.description}, ${n}`, make(call)]);
  await expectFaults(code, Object.fromEntries(atOnce));
  expectUnheard(signal, 'all of them at once');
}

/** Makes random sequences of calls on a store and on a sound one, and compares what both answer. */
export async function checkSequences<Port, Values>(
  sequences: Sequences<Port, Values>,
  create: () => Promise<Reachable<Port>>,
  { runs = 100, seed, shortest = true }: ModelOptions,
): Promise<void> {
  const { fault } = sequences;
  const all = sequences.values.chain((values) => turnsOf(sequences, values));
  const inVain = fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true));
  let shortensUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(all, inVain, async (turns, isInVain) => {
    // Reports the failing sequence that was found, even if trying shorter ones takes long.
    if (Date.now() > shortensUntil) return;
    const subject = await create();
    const play = new Play<Port>(sequences);
    try {
      const dead = fault !== undefined && isInVain ? await subject.unreachable?.() : undefined;
      if (fault !== undefined && dead !== undefined) await playInVain(turns, dead, fault);
      else await play.play(turns, subject);
    } catch (error) {
      shortensUntil = Math.min(shortensUntil, Date.now() + SHORTENED_FOR);
      throw error;
    } finally {
      await play.dispose();
      await subject.dispose();
    }
  });
  await fc.assert(property, {
    numRuns: runs,
    endOnFailure: !shortest,
    includeErrorInReport: true,
    ...(seed === undefined ? {} : { seed }),
  });
}
