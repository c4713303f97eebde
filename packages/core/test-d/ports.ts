import type {
  ArchiveId,
  decide,
  EntryPath,
  entryPath,
  Fault,
  FaultCode,
  Instant,
  instant,
  parseRoleId,
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
// @ts-expect-error a string is no id
export const raw: RoleId = 'abc';
// @ts-expect-error one id is not another
export const other: ArchiveId = raw;

// Codes are closed lists, and no type of the surface is any.
holds<Equals<Fault['code'], FaultCode>>();
holds<Equals<Refusal['code'], RefusalCode>>();
holds<Equals<IsAny<Parameters<typeof decide>[0]>, false>>();
holds<Equals<IsAny<FaultCode>, false>>();
