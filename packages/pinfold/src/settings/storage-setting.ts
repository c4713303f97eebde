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
  const refuse = (expectation: string): never => {
    throw new TypeError(expectation);
  };
  if (!URL.canParse(value)) return refuse(FORM);
  const url = new URL(value);
  if (url.protocol !== 's3:' || url.port !== '' || url.hash !== '') return refuse(FORM);
  if (url.username !== '' || url.password !== '') {
    return refuse('must not contain credentials: the AWS SDK reads them from its own variables and files');
  }
  if (!BUCKET.test(url.hostname)) return refuse(`has no valid bucket name: it ${FORM}`);
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name) || url.searchParams.getAll(name).length > 1) {
      return refuse(`takes the parameters ${PARAMETERS.join(', ')}, each once`);
    }
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    return refuse('has a wrong endpoint: it must be an http:// or https:// URL without credentials');
  }
  const region = url.searchParams.get('region') ?? awsRegion ?? 'us-east-1';
  if (!REGION.test(region)) return refuse('has a wrong region: it must be a name such as eu-central-1');
  const style = url.searchParams.get('path_style') ?? String(endpoint !== undefined);
  if (style !== 'true' && style !== 'false') return refuse('has a path_style that is neither true nor false');
  const prefix = url.pathname.replace(/^\/+|(?<!\/)\/+$/g, '');
  if (!PREFIX.test(prefix))
    return refuse('has a wrong prefix: only a-z, 0-9, ".", "_", "-" and "/" are allowed');
  return { kind: 's3', bucket: url.hostname, prefix, endpoint, region, pathStyle: style === 'true' };
}

const FORM =
  'must have the form s3://bucket/prefix?endpoint=…&region=…&path_style=true, or be absent for files';

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
