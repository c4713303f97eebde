import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'pinfold-tests-'));
// A test that changes its user must be able to find its folder.
chmodSync(root, 0o755);

// Workers whose leader was killed write until they notice that.
after(() => rmSync(root, { recursive: true, maxRetries: 20 }));

/** Creates a folder, which is removed when all tests have ended. */
export function newFolder(): string {
  return mkdtempSync(join(root, 'folder-'));
}
