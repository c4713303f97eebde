import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';

/** Fills a database that Pinfold has made with roles of 100 accounts, each with a small manifest and its key. */
export async function fillRoles(file: string, count: number): Promise<void> {
  const database = new Database(file);
  const role = database.prepare(
    `INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
       published_at, expires_at, pinned, generation, title_folded, archive_bytes, sha256)
     VALUES (?, 1, ?, ?, ?, ?, 'site.zip', 1, 100, ?, ?, 0, 1, ?, 300, '')`,
  );
  const manifest = database.prepare('INSERT INTO manifests (archive, manifest) VALUES (?, ?)');
  const key = database.prepare(
    `INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
     VALUES (?, ?, 'f', ?, ?, ?, ?, '[]')`,
  );
  const now = Date.now();
  database.transaction(() => {
    for (let n = 0; n < count; n += 1) {
      const id = randomUUID();
      const account = `account-${n % 100}`;
      const at = now - n * 100;
      const archive = `${at}-${randomUUID()}`;
      role.run(id, account, archive, `key ${n}`, `Site ${n}`, at, at + 864_000_000, `site ${n}`);
      manifest.run(archive, '[1,[["index.html",40,100,100,0,1,1]]]');
      key.run(account, `key ${n}`, randomUUID(), at, at, id);
    }
  })();
  database.close();
}
