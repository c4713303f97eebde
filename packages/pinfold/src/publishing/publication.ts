import type * as client from '@pinfold/client';
import type { WireError, WireWarning } from '@pinfold/http-express/internal';

export type { WireError, WireWarning };

/** A publication to send. */
export interface PublishRequest {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly title: string | undefined;
  readonly idempotencyKey: string;
  /** The name that is to show it. */
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

/** The answer, as the API gives it. */
export type Published = Omit<client.Published, 'idempotencyKey'>;

/** The result of a check that stores nothing. */
export type Checked = Omit<client.DryRun, 'pin'>;
