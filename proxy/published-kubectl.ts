import { createHash } from 'node:crypto';
import { ARCHITECTURES, type Architecture, type KubectlLock } from './kubectl-lock.ts';

/** Where Kubernetes publishes kubectl. */
export interface Places {
  /** Programs, each with a file `.sha256` next to it. */
  readonly downloads: string;
  /** Images, by the registry API. */
  readonly registry: string;
}

export const PLACES: Places = {
  downloads: 'https://dl.k8s.io',
  registry: 'https://registry.k8s.io',
};

const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

/** The first minor version of kubectl that notices a rotated CA: `ClientsAllowCARotation`. */
const MINIMUM_MINOR = 36;

/**
 * The lock of a version, from the checksums next to its downloads and from the index of its image.
 *
 * @throws Error when the version is no release of 1.36 or later, when a place does not answer or returns no
 *   checksum, and when the index lacks an architecture or does not match its digest.
 */
export async function publishedKubectl(
  version: string,
  { date, places = PLACES }: { readonly date: string; readonly places?: Places },
): Promise<KubectlLock> {
  requireRelease(version);
  const binaries: Partial<Record<Architecture, string>> = {};
  for (const architecture of ARCHITECTURES) {
    const url = `${places.downloads}/release/${version}/bin/linux/${architecture}/kubectl.sha256`;
    binaries[architecture] = checksumOf(await (await get(url)).text(), url);
  }
  return {
    version,
    date,
    image: 'registry.k8s.io/kubectl',
    digest: await indexDigest(`${places.registry}/v2/kubectl/manifests/${version}`),
    binaries,
    sources: [places.downloads, places.registry],
  };
}

function requireRelease(version: string): void {
  const [, major, minor] = /^v(\d+)\.(\d+)\.\d+$/.exec(version) ?? [];
  if (major === undefined) throw new Error(`expected a release such as v1.37.1, got ${version}`);
  if (major === '1' && Number(minor) < MINIMUM_MINOR) {
    throw new Error(
      `expected v1.${MINIMUM_MINOR}.0 or later, got ${version}: it keeps a rotated CA until it is restarted`,
    );
  }
}

async function get(url: string): Promise<Response> {
  const headers = { accept: `${INDEX_TYPES}, text/plain, */*` };
  const response = await fetch(url, { headers }).catch((error: Error) => {
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`GET ${url} has no answer: ${why}`, { cause: error });
  });
  if (!response.ok) throw new Error(`GET ${url} answers ${response.status}`);
  return response;
}

function checksumOf(text: string, url: string): string {
  const [checksum = ''] = text.trim().split(/\s+/);
  if (!/^[0-9a-f]{64}$/.test(checksum)) throw new Error(`no SHA-256 at ${url}`);
  return checksum;
}

/** The digest of the received bytes, so that no header has to be trusted. */
async function indexDigest(url: string): Promise<string> {
  const response = await get(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const said = response.headers.get('docker-content-digest');
  if (said !== null && said !== digest) throw new Error(`${url} says ${said} and sends ${digest}`);
  const missing = ARCHITECTURES.filter((each) => !architecturesOf(bytes).includes(each));
  if (missing.length > 0) throw new Error(`the index at ${url} has no ${missing.join(', ')}`);
  return digest;
}

function architecturesOf(index: Buffer): readonly (string | undefined)[] {
  const { manifests = [] } = JSON.parse(index.toString()) as {
    readonly manifests?: readonly { readonly platform?: { readonly architecture?: string } }[];
  };
  return manifests.map(({ platform }) => platform?.architecture);
}
