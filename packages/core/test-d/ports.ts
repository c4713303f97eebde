import type { entryPath } from '../src/domain/entry-path.ts';
import type {
  AccountId,
  Actor,
  ArchiveId,
  ChangeRequest,
  decide,
  EntryPath,
  Fault,
  FaultCode,
  Instant,
  instant,
  Keys,
  ListRequest,
  OPERATOR,
  parseRoleId,
  Reading,
  Refusal,
  RefusalCode,
  RoleId,
} from '../src/index.ts';

type Equals<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
type IsAny<T> = 0 extends 1 & T ? true : false;

function holds<_Claim extends true>(): void {}

// An id, a path and an instant are made by the function that proves them, and by nothing else.
holds<Equals<ReturnType<typeof parseRoleId>, RoleId | undefined>>();
holds<Equals<ReturnType<typeof entryPath>, EntryPath | undefined>>();
holds<Equals<ReturnType<typeof instant>, Instant>>();
// @ts-expect-error a string is not an id
export const raw: RoleId = 'abc';
// @ts-expect-error one id is not another
export const other: ArchiveId = raw;

// Codes are closed lists, and no type of the surface is any.
holds<Equals<Fault['code'], FaultCode>>();
holds<Equals<Refusal['code'], RefusalCode>>();
holds<Equals<IsAny<Parameters<typeof decide>[0]>, false>>();
holds<Equals<IsAny<FaultCode>, false>>();

// Nobody is the operator by omission: who asks is said, or it does not compile.
holds<Equals<Actor, AccountId | typeof OPERATOR>>();
declare const id: RoleId;
declare const read: Reading['read'];
declare const keys: Keys;
// @ts-expect-error in whose name?
export const forgotten: ChangeRequest = { id };
// @ts-expect-error undefined is not an actor
export const nobody: ChangeRequest = { by: undefined, id };
// @ts-expect-error another symbol is not the operator
export const another: ChangeRequest = { by: Symbol('operator'), id };
// @ts-expect-error whose list?
export const everybody: ListRequest = { limit: 1 };
// @ts-expect-error who reads?
void read({ id });
// @ts-expect-error whose keys?
void keys.list();
// @ts-expect-error who revokes?
void keys.revoke({ id: 'key' });

// A refusal carries the data of its code, and no words.
holds<Equals<Refusal<'invalid_state'>['state'], 'archive_removed' | 'deleted' | 'expired' | 'pinned'>>();
holds<Equals<Refusal<'not_found'>, { readonly kind: 'refused'; readonly code: 'not_found' }>>();
// @ts-expect-error in which state?
export const stateless: Refusal = { kind: 'refused', code: 'invalid_state' };
// @ts-expect-error figures carry the limit and what was there
export const figureless: Refusal = { kind: 'refused', code: 'invalid_title', rule: 'too_long' };
// @ts-expect-error rules are closed lists
export const unheard: Refusal = { kind: 'refused', code: 'invalid_title', rule: 'ugly' };
// @ts-expect-error words are the doors'
export const withDetail: Refusal = { kind: 'refused', code: 'not_found', detail: 'Gone.' };
