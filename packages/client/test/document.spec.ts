import { openApiDocument } from '@pinfold/http-express';
import { expect } from 'chai';
import { WIRE } from '../src/wire.ts';

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

function kindsOf({ type, enum: values }: Schema): readonly string[] {
  const types = type === undefined ? (values ?? []).map((value) => typeof value) : [type].flat();
  return [...new Set(types.map((name) => (name === 'integer' ? 'number' : name)))].sort();
}

/** The JSON types of a member of the client's table: an object's name is one of an object, another word of a text. */
function typesOf(member: string): readonly string[] {
  const types = member.split(' | ').map((type) => {
    if (type in WIRE) return 'object';
    return ['null', 'number', 'boolean', 'undefined'].includes(type) ? type : 'string';
  });
  return [...new Set(types)].sort();
}

describe('the types of the client', () => {
  const described: Readonly<Partial<Record<keyof typeof WIRE, Schema | undefined>>> = {
    Pin,
    Warning,
    Name,
    Grant: GrantAnswer?.properties?.grant,
    DayOfViews: ViewedPinAnswer?.properties?.views?.items,
    Event: Event,
    EventActor: Event?.properties?.actor,
    Limits: LimitsAnswer?.properties?.limits,
    Rate: objectIn(LimitsAnswer?.properties?.rates?.properties?.requests),
    Quota: objectIn(LimitsAnswer?.properties?.quotas?.properties?.sites),
  };
  for (const [name, schema] of Object.entries(described)) {
    it(`say of ${name} what the document says`, () => {
      const expected = Object.entries(schema?.properties ?? {}).map(([member, property]) => {
        const optional = schema?.required?.includes(member) ? [] : ['undefined'];
        return [member, [...kindsOf(property), ...optional].sort()];
      });
      const members = Object.entries(WIRE[name as keyof typeof WIRE]);
      const typed = members.map(([member, type]) => [member, typesOf(type)]);
      expect(Object.fromEntries(typed)).to.deep.equal(Object.fromEntries(expected));
    });
  }
});
