/** The used parts of a record of oidc-provider. */
interface Payload {
  readonly uid?: string;
  readonly grantId?: string;
  exp?: number;
  consumed?: number;
}

/** The records of one issuer, by kind and id; a test may make them expire. */
export class IssuerRecords {
  readonly #records: Map<string, Payload> = new Map();

  /** Expires all issued codes. */
  expireCodes(): void {
    for (const [key, payload] of this.#records) if (key.startsWith('AuthorizationCode ')) payload.exp = 1;
  }

  /** The adapter that oidc-provider asks for. */
  adapterOf(kind: string): Readonly<Record<string, unknown>> {
    const records = this.#records;
    const keyOf = (id: string): string => `${kind} ${id}`;
    const find = async (id: string): Promise<Payload | undefined> => records.get(keyOf(id));
    return {
      find,
      upsert: async (id: string, payload: Payload) => void records.set(keyOf(id), { ...payload }),
      findByUid: async (uid: string) =>
        [...records].find(([key, payload]) => key.startsWith(`${kind} `) && payload.uid === uid)?.[1],
      consume: async (id: string) => {
        const payload = await find(id);
        if (payload !== undefined) payload.consumed = 1;
      },
      destroy: async (id: string) => void records.delete(keyOf(id)),
      revokeByGrantId: async (grantId: string) => {
        for (const [key, payload] of records) if (payload.grantId === grantId) records.delete(key);
      },
    };
  }
}
