import type { Spoiling } from './mutant.ts';

type Method<Port> = {
  [Name in keyof Port]: Port[Name] extends (...inputs: never[]) => Promise<unknown> ? Name : never;
}[keyof Port] &
  string;

type Inputs<Port, Name extends keyof Port> = Port[Name] extends (...inputs: infer I) => unknown ? I : never;

type Answer<Port, Name extends keyof Port> = Port[Name] extends (...inputs: never[]) => Promise<infer A>
  ? A
  : never;

/** Short forms for stories in which one method is wrong and nothing is remembered. */
export interface SingleMethod<Port> {
  /** The method does something else. */
  does<Name extends Method<Port>>(
    name: Name,
    instead: (store: Port, ...inputs: Inputs<Port, Name>) => Promise<Answer<Port, Name>>,
  ): Spoiling<Port>;
  /** The method answers something else. */
  answers<Name extends Method<Port>>(
    name: Name,
    change: (answer: Answer<Port, Name>, ...inputs: Inputs<Port, Name>) => Answer<Port, Name>,
  ): Spoiling<Port>;
  /** The method understands something else. */
  asks<Name extends Method<Port>>(
    name: Name,
    change: (...inputs: Inputs<Port, Name>) => readonly unknown[],
  ): Spoiling<Port>;
}

type Call = (...inputs: never[]) => Promise<unknown>;

export function singleMethod<Port extends object>(): SingleMethod<Port> {
  const around =
    (name: string, change: (call: Call, store: Port) => Call): Spoiling<Port> =>
    () =>
    (store) => {
      const sound = Reflect.get(store, name) as Call;
      return { [name]: change((...inputs) => Reflect.apply(sound, store, inputs), store) } as Partial<Port>;
    };
  return {
    does: (name, instead) =>
      around(
        name,
        (_, store) =>
          (...inputs) =>
            instead(store, ...(inputs as never)),
      ),
    answers: (name, change) =>
      around(
        name,
        (call) =>
          async (...inputs) =>
            change((await call(...inputs)) as never, ...(inputs as never)),
      ),
    asks: (name, change) =>
      around(
        name,
        (call) =>
          async (...inputs) =>
            call(...([...change(...(inputs as never))] as never[])),
      ),
  };
}
