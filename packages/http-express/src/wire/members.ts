import type { Instant, Refusal } from '@pinfold/core';
import { OPERATOR_TEXT, toRfc3339 } from '@pinfold/core/internal';
import type { DescribedAnswer, Outcome } from '../endpoint.ts';
import * as T from '../schema.ts';

/** A member of a JSON object: its schema, an example, and a function that reads it from the source. */
export interface Member<Source, Value> {
  readonly schema: T.Schema<Value>;
  readonly example: Value;
  readonly read: (source: Source) => Value;
}

type AnyMembers<Source> = Readonly<Record<string, Member<Source, unknown>>>;
type Schemas<M> = {
  readonly [Name in keyof M]: M[Name] extends Member<never, infer Value> ? T.Schema<Value> : never;
};

export type WireOf<M> = T.ObjectOf<Schemas<M>>;

export function memberOf<Source>() {
  return <Value>(
    schema: T.Schema<Value>,
    example: NoInfer<Value>,
    read: (source: Source) => NoInfer<Value>,
  ): Member<Source, Value> => ({ schema, example, read });
}

export function wireOf<Source, M extends AnyMembers<Source>>(members: M, source: Source): WireOf<M> {
  return mapMembers(members, ({ read }) => read(source)) as WireOf<M>;
}

export function schemasOf<M extends AnyMembers<never>>(members: M): Schemas<M> {
  return mapMembers(members, ({ schema }) => schema) as Schemas<M>;
}

export function exampleOf<M extends AnyMembers<never>>(members: M): WireOf<M> {
  return mapMembers(members, ({ example }) => example) as WireOf<M>;
}

export function instantOrNull(instant: Instant | null): string | null {
  return instant === null ? null : toRfc3339(instant);
}

/** A text of an operator: the reason for a change of an account or a publication, or a message. */
export function operatorText(description = 'The reason, without control characters.'): T.Schema<string> {
  return T.string({ ...OPERATOR_TEXT, description });
}

/** Describes an answer with one member. */
export function oneAnswer(
  description: string,
  member: string,
  schema: T.Schema<unknown>,
  example: unknown,
): Readonly<Record<number, DescribedAnswer>> {
  return { 200: { description, schema, examples: { [member]: { [member]: example } } } };
}

export function pageAnswer<Item>(
  name: string,
  member: string,
  [items, example]: readonly [schema: T.Schema<Item>, example: Item],
  { nextBy, order = 'Newest first.' }: { readonly nextBy: string; readonly order?: string },
): Readonly<Record<number, DescribedAnswer>> {
  const schema = T.named(name, () =>
    T.object({
      [member]: T.array(items, { maxItems: 100, description: order }),
      next_cursor: T.nullable(T.string(), {
        description: `Ask for the next page with ${nextBy}; null on the last page.`,
      }),
    }),
  );
  const examples = { page: { [member]: [example], next_cursor: null } };
  return { 200: { description: 'A page.', schema, examples } };
}

/** Answers with one page of a list, as {@link pageAnswer} describes it. */
export function pageOf<Listed extends { readonly kind: string; readonly next: string | undefined }>(
  member: string,
  listed: Listed | Refusal,
  items: (listed: Listed) => readonly unknown[],
): Outcome {
  if ('code' in listed) return listed;
  return { status: 200, json: { [member]: items(listed), next_cursor: listed.next ?? null } };
}

function mapMembers<Source>(
  members: AnyMembers<Source>,
  map: (member: Member<Source, unknown>) => unknown,
): unknown {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));
}
