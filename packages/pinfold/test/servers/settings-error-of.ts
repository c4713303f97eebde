import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { SettingsError } from '../../src/settings/settings-error.ts';

/** Returns the SettingsError with which a promise rejects; throws any other reason. */
export async function settingsErrorOf(promise: Promise<unknown>): Promise<SettingsError> {
  const reason = await rejectionOf(promise);
  if (!(reason instanceof SettingsError)) throw reason;
  return reason;
}
