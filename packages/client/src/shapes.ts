import type {
  DayOfViews,
  DryRun,
  Event,
  EventActor,
  EventPage,
  Grant,
  GrantAnswer,
  Limits,
  LimitsAnswer,
  Name,
  NameAnswer,
  NameList,
  Pin,
  PinAnswer,
  PinList,
  Publication,
  Quota,
  Rate,
  ViewedPinAnswer,
  Warning,
} from './wire.ts';

type Kind = 'string' | 'string | null' | 'string | undefined' | 'number' | 'boolean';
type KindOf<Value> = Value extends string
  ? 'string'
  : Value extends number
    ? 'number'
    : Value extends boolean
      ? 'boolean'
      : Value extends string | null
        ? 'string | null'
        : 'string | undefined';
type Shape<Wire> = { readonly [Member in keyof Wire]-?: KindOf<Wire[Member]> };

/** The members of the wire's objects, for checks at run time. The compiler compares them with the types. */
export const SHAPES: {
  readonly Pin: Shape<Pin>;
  readonly Warning: Shape<Warning>;
  readonly Grant: Shape<Grant>;
  readonly Name: Shape<Name>;
  readonly DayOfViews: Shape<DayOfViews>;
  readonly Event: Shape<Omit<Event, 'actor'>>;
  readonly EventActor: Shape<EventActor>;
  readonly Limits: Shape<Limits>;
  readonly Rate: Shape<Rate>;
  readonly Quota: Shape<Quota>;
} = {
  Pin: {
    id: 'string',
    title: 'string | null',
    state: 'string',
    shared_url: 'string',
    password_protected: 'boolean',
    pinned: 'boolean',
    published_at: 'string',
    expires_at: 'string | null',
    deleted_at: 'string | null',
    file_count: 'number',
    size: 'number',
    original_filename: 'string',
  },
  Warning: { rule: 'string', detail: 'string', path: 'string | undefined' },
  Grant: { url: 'string', expires_at: 'string' },
  Name: { name: 'string', url: 'string', pin: 'string', updated_at: 'string' },
  DayOfViews: { day: 'string', views: 'number', refused_passwords: 'number' },
  Event: {
    id: 'string',
    at: 'string',
    type: 'string',
    account: 'string | null',
    pin: 'string | null',
    request: 'string | null',
    address: 'string | undefined',
    name: 'string | undefined',
  },
  EventActor: { kind: 'string', id: 'string | null' },
  Limits: {
    archive_bytes: 'number',
    expanded_bytes: 'number',
    files: 'number',
    file_bytes: 'number',
    title_characters: 'number',
    idempotency_key_characters: 'number',
    password_min_characters: 'number',
    password_max_bytes: 'number',
    lifetime_days: 'number',
  },
  Rate: { limit: 'number', window_seconds: 'number', remaining: 'number' },
  Quota: { limit: 'number', used: 'number' },
};

type Members = Readonly<Record<string, unknown>>;

/**
 * Whether a value is an object of the wire. It may have more members, as those of a later server, and lack all but the
 * needed ones, but none is of another type.
 */
function has(
  value: unknown,
  shape: Readonly<Record<string, Kind>>,
  needed: readonly string[] = Object.keys(shape),
): boolean {
  return (
    isObject(value) &&
    Object.entries(shape).every(([member, kind]) => {
      const found = value[member];
      if (found === undefined && !needed.includes(member)) return true;
      return kind.split(' | ').includes(found === null ? 'null' : typeof found);
    })
  );
}

function isPin(value: unknown): boolean {
  return has(value, SHAPES.Pin, ['id', 'shared_url']);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function isListOf(value: unknown, shape: Readonly<Record<string, Kind>>): boolean {
  return Array.isArray(value) && value.every((member) => has(member, shape));
}

export function isPinAnswer(value: unknown): value is PinAnswer {
  return isObject(value) && isPin(value.pin);
}

export function isViewedPinAnswer(value: unknown): value is ViewedPinAnswer {
  if (!isObject(value) || !isPinAnswer(value)) return false;
  const { views } = value as Members;
  return views === undefined || isListOf(views, SHAPES.DayOfViews);
}

export function isNameAnswer(value: unknown): value is NameAnswer {
  return isObject(value) && has(value.name, SHAPES.Name);
}

export function isNameList(value: unknown): value is NameList {
  if (!isObject(value) || !isListOf(value.names, SHAPES.Name)) return false;
  return value.next_cursor === null || typeof value.next_cursor === 'string';
}

export function isGrantAnswer(value: unknown): value is GrantAnswer {
  return isObject(value) && has(value.grant, SHAPES.Grant);
}

export function isPublication(value: unknown): value is Publication {
  if (!isObject(value) || !isPinAnswer(value)) return false;
  const { warnings, name } = value as Members;
  return (
    isListOf(warnings, SHAPES.Warning) && (name === undefined || name === null || has(name, SHAPES.Name))
  );
}

export function isDryRun(value: unknown): value is DryRun {
  if (!isObject(value) || !isListOf(value.warnings, SHAPES.Warning)) return false;
  return has(value.archive, { file_count: 'number', size: 'number' });
}

export function isPinList(value: unknown): value is PinList {
  if (!isObject(value) || !Array.isArray(value.pins) || !value.pins.every(isPin)) return false;
  return value.next_cursor === null || typeof value.next_cursor === 'string';
}

export function isEventPage(value: unknown): value is EventPage {
  if (!isObject(value) || !Array.isArray(value.events) || typeof value.next_cursor !== 'string') return false;
  const { events, cursors = [] } = value;
  const isEvent = (event: unknown) =>
    has(event, SHAPES.Event, ['id', 'at', 'type']) && has((event as Members).actor, SHAPES.EventActor, []);
  return events.every(isEvent) && Array.isArray(cursors) && cursors.every((one) => typeof one === 'string');
}

export function isLimitsAnswer(value: unknown): value is LimitsAnswer {
  if (!isObject(value) || !has(value.limits, SHAPES.Limits)) return false;
  const { rates, quotas } = value;
  if (!isObject(rates) || !isObject(quotas)) return false;
  return (
    [rates.requests, rates.publications].every((rate) => rate === null || has(rate, SHAPES.Rate)) &&
    [quotas.sites, quotas.bytes].every((quota) => quota === null || has(quota, SHAPES.Quota))
  );
}
