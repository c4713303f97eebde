import { openApiDocument } from '@pinfold/http-express';
import { expect } from 'chai';
import { SHAPES } from '../src/shapes.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const { components } = openApiDocument({ publicUrl: 'https://share.example' }) as unknown as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { Pin, Name, Warning, GrantAnswer, Event, LimitsAnswer, ViewedPinAnswer } = components.schemas;

/** The object in a schema that may be null instead. */
function objectIn(schema: Schema | undefined): Schema | undefined {
  const choices = schema?.anyOf ?? schema?.oneOf;
  return choices === undefined ? schema : choices.find(({ properties }) => properties !== undefined);
}

function without(schema: Schema | undefined, member: string): Schema {
  const { [member]: _, ...properties } = schema?.properties ?? {};
  return { ...schema, properties };
}

function kindsOf({ type, enum: values }: Schema): readonly string[] {
  const types = type === undefined ? (values ?? []).map((value) => typeof value) : [type].flat();
  return [...new Set(types.map((name) => (name === 'integer' ? 'number' : name)))].sort();
}

describe('the types of the client', () => {
  const described: Readonly<Record<keyof typeof SHAPES, Schema | undefined>> = {
    Pin,
    Warning,
    Name,
    Grant: GrantAnswer?.properties?.grant,
    DayOfViews: ViewedPinAnswer?.properties?.views?.items,
    Event: without(Event, 'actor'),
    EventActor: Event?.properties?.actor,
    Limits: LimitsAnswer?.properties?.limits,
    Rate: objectIn(LimitsAnswer?.properties?.rates?.properties?.requests),
    Quota: objectIn(LimitsAnswer?.properties?.quotas?.properties?.sites),
  };
  for (const [name, shape] of Object.entries(SHAPES)) {
    it(`say of ${name} what the document says`, () => {
      const schema = described[name as keyof typeof SHAPES];
      const expected = Object.entries(schema?.properties ?? {}).map(([member, property]) => {
        const optional = schema?.required?.includes(member) ? [] : ['undefined'];
        return [member, [...kindsOf(property), ...optional].sort()];
      });
      const typed = Object.entries(shape).map(([member, kind]) => [member, kind.split(' | ').sort()]);
      expect(Object.fromEntries(typed)).to.deep.equal(Object.fromEntries(expected));
    });
  }
});
