import { percentDecoded } from '@pinfold/core/internal';

/** The database of the records. */
export interface DatabaseSetting {
  readonly kind: 'sqlite' | 'postgres';
  /** Contains credentials, so it is never printed or logged. */
  readonly url?: string;
}

export function parseDatabase(text: string): DatabaseSetting {
  // pg would read a URL after a space as a path.
  const value = text.trim();
  // The URL of a Unix socket has no host, such as `postgres://user@/db?host=/cloudsql/…` of Cloud SQL. pg accepts it, but URL does not.
  const url = URL.parse(value.replace(/^(\w+:\/\/[^/?#]*@)\//, '$1localhost/'));
  if (url === null && /^postgres(?:ql)?:\/\//i.test(value)) {
    throw new TypeError(
      'is not a URL: percent-encode special characters in the user name and password, such as %2F for / and %23 for #',
    );
  }
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new TypeError('must be a URL that begins with postgres://, or absent for SQLite');
  }
  if (![url.username, url.password, url.pathname].every((part) => percentDecoded(part) !== undefined)) {
    throw new TypeError('has a % that does not begin a percent-encoded character: write it as %25');
  }
  return { kind: 'postgres', url: value };
}

/** The storage of archives. */
export type StorageSetting =
  | { readonly kind: 'files' }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** The folder of the archives in the bucket, without `/` at either end; empty for the adapter's default. */
      readonly prefix: string;
      readonly endpoint: string | undefined;
      readonly region: string;
      /** Whether the bucket is named in the path of a request instead of its host. */
      readonly pathStyle: boolean;
    };

const PARAMETERS = ['endpoint', 'region', 'path_style'];
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
/** Allows only characters without a special meaning in a URL, and no segment `.` or `..`. */
const PREFIX = /^(?:(?!\.{1,2}(?:\/|$))[a-z0-9._-]{1,200}(?:\/(?!$)|$))*$/;
const REGION = /^[A-Za-z0-9-]{1,64}$/;

/** Parses `s3://bucket/prefix?endpoint=…&region=…&path_style=true`. `awsRegion` applies if the URL names no region. */
export function parseStorage(value: string, awsRegion: string | undefined): StorageSetting {
  const url = URL.parse(value);
  if (url?.protocol !== 's3:' || url.port !== '' || url.hash !== '') throw new TypeError(FORM);
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(
      'must not contain credentials: the AWS SDK reads them from its own variables and files',
    );
  }
  if (!BUCKET.test(url.hostname)) throw new TypeError(`has no valid bucket name: it ${FORM}`);
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name) || url.searchParams.getAll(name).length > 1) {
      throw new TypeError(`takes the parameters ${PARAMETERS.join(', ')}, each once`);
    }
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    throw new TypeError('has a wrong endpoint: it must be an http:// or https:// URL without credentials');
  }
  const region = url.searchParams.get('region') ?? awsRegion ?? 'us-east-1';
  if (!REGION.test(region)) throw new TypeError('has a wrong region: it must be a name such as eu-central-1');
  const style = url.searchParams.get('path_style') ?? String(endpoint !== undefined);
  if (style !== 'true' && style !== 'false')
    throw new TypeError('has a path_style that is neither true nor false');
  const prefix = url.pathname.replace(/^\/+|(?<!\/)\/+$/g, '');
  if (!PREFIX.test(prefix))
    throw new TypeError('has a wrong prefix: only a-z, 0-9, ".", "_", "-" and "/" are allowed');
  return { kind: 's3', bucket: url.hostname, prefix, endpoint, region, pathStyle: style === 'true' };
}

const FORM =
  'must have the form s3://bucket/prefix?endpoint=…&region=…&path_style=true, or be absent for files';

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.username + url.password === '';
}
