import { parseRoleId } from '../domain/identity.ts';
import type { Publication, Role } from '../domain/role.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Refusal } from '../refusal.ts';
import { NOT_FOUND } from './changing.ts';
import type { PageOutcome } from './paging.ts';
import { type ListRequest, listRoles } from './reading.ts';
import type { ShowPublication } from './show-publication.ts';

/** A publication of any account, and whether it was taken down: lifted or not, it stays stopped. */
export interface AdministeredPublication {
  readonly publication: Publication;
  readonly takedown: Takedown | undefined;
}

/** Which page of all roles is wanted. */
export interface RoleListRequest extends Omit<ListRequest, 'by' | 'order'> {
  /** Absent: every account. */
  readonly account?: string;
}

/** A page, newest first, and the cursor of the next one; with `search` it may be short without being the last. */
export type RoleListOutcome = PageOutcome<'publications', AdministeredPublication>;

/** Reads the roles of all accounts. */
export interface Overseeing {
  /**
   * A page of all roles, newest first.
   *
   * @throws TypeError when the limit is no whole number from 1 to 100, or the account or the state is invalid.
   */
  listRoles(request?: RoleListRequest): Promise<RoleListOutcome>;

  /** One role in any state; its id is a UUID in any letter case. */
  showRole(
    id: string,
    signal?: AbortSignal,
  ): Promise<({ readonly kind: 'found' } & AdministeredPublication) | Refusal<'not_found'>>;
}

export type OverseeingPorts = Pick<AllPorts, 'roles' | 'takedowns' | 'clock'>;

export function overseeing({ roles, takedowns, clock }: OverseeingPorts, show: ShowPublication): Overseeing {
  async function withTakedowns(found: readonly Role[]): Promise<readonly AdministeredPublication[]> {
    const records = await takedowns.of(found.map(({ id }) => id));
    return found.map((role) => ({
      publication: show(role),
      takedown: records.find(({ id, sha256 }) => id === role.id && sha256 === role.sha256),
    }));
  }
  return {
    listRoles: (request = {}) => listRoles({ roles, clock }, request, withTakedowns),
    async showRole(text, signal) {
      const id = parseRoleId(text);
      const loaded = id === undefined ? undefined : await roles.load(id, signal);
      if (loaded === undefined) return NOT_FOUND;
      const [found] = await withTakedowns([loaded.value]);
      return { kind: 'found', ...(found as AdministeredPublication) };
    },
  };
}
