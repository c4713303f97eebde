// A program as its author writes it: publishes a folder, and prints the link.
import { PinfoldClient } from '@pinfold/client';
import { publishFolder } from '@pinfold/client/node';

const { PINFOLD_URL: url = '', PINFOLD_KEY: key = '' } = process.env;
const client = new PinfoldClient({ url, key });
const { pin } = await publishFolder(client, process.argv[2] ?? 'dist', { title: 'Release 42' });
console.log(pin.shared_url);
