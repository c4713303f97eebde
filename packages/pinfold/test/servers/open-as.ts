// Opens a data folder as another user, after loading all modules as the user who started it.
import { openDataFolder } from '../../src/compose/data-folder.ts';

const [user = '', folder = ''] = process.argv.slice(2);
if (Number(user) !== process.getuid?.()) {
  process.setgroups?.([]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
}
const message = await openDataFolder(folder, 'refused').catch(
  (error: Error) => `${error.name}: ${error.message}`,
);
process.stdout.write(message);
