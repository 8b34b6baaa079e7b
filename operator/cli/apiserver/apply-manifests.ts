import { OperatorError } from '../../core/errors.ts';
import { isNamespaceMissing, isUnserved } from '../../model/not-found.ts';
import { type ManifestDocument, manifestItems } from '../files/manifest-files.ts';
import type { RunningServer } from './testing-package.ts';

/**
 * Applies documents in the given order.
 *
 * @param namespace - the namespace for objects that do not set one.
 * @throws OperatorError when an object is refused. The message starts with the file and the object.
 */
export function applyManifests(
  server: RunningServer,
  documents: readonly ManifestDocument[],
  namespace: string | undefined,
): void {
  for (const { file, value } of documents) {
    try {
      server.applyManifest(JSON.stringify(value), namespace);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      throw new OperatorError(
        `cannot apply ${file}: ${nameOf(value)}: ${error.message}${hint(error)}`,
        { code: error.code, layer: error.layer, cause: error },
      );
    }
  }
}

/**
 * Applies documents in the order of their dependencies: first definitions, which must be
 * established before anything else is applied, then namespaces, then all other objects in the given
 * order.
 *
 * @throws OperatorError in the same cases as `applyManifests`, and for a definition that is not
 * established.
 */
export function installManifests(
  server: RunningServer,
  documents: readonly ManifestDocument[],
  namespace: string | undefined,
): void {
  const items = documents.flatMap(manifestItems);
  const of = (kinds: readonly string[]): readonly ManifestDocument[] =>
    items.filter(({ value }) => kinds.includes(kindOf(value)));
  const definitions = of([DEFINITION]);
  applyManifests(server, definitions, namespace);
  for (const document of definitions) requireEstablished(server, document);
  applyManifests(server, of([NAMESPACE]), namespace);
  const first = [DEFINITION, NAMESPACE];
  const others = items.filter(({ value }) => !first.includes(kindOf(value)));
  applyManifests(server, others, namespace);
}

const DEFINITION = 'CustomResourceDefinition';
const NAMESPACE = 'Namespace';

interface Definition {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/**
 * Requires that a definition is established. The server of this command establishes a definition
 * during the write, or never, so there is no need to wait.
 */
function requireEstablished(server: RunningServer, { file, value }: ManifestDocument): void {
  const { apiVersion, metadata } = value as {
    readonly apiVersion: string;
    readonly metadata: { readonly name: string };
  };
  const { status } = server.get(apiVersion, DEFINITION, undefined, metadata.name) as Definition;
  const conditions = status?.conditions ?? [];
  if (conditions.some((each) => each.type === 'Established' && each.status === 'True')) return;
  const why = conditions.find((each) => each.status === 'False')?.message ?? 'it has no conditions';
  throw new OperatorError(`cannot apply ${file}: ${nameOf(value)} is not established: ${why}`, {
    code: 'UNSERVED',
    layer: 'api-server',
  });
}

function hint(error: OperatorError): string {
  if (isNamespaceMissing(error)) return '; apply its Namespace before it, or create it with -n';
  return isUnserved(error)
    ? '; if it is a custom resource, apply its CustomResourceDefinition before it'
    : '';
}

function kindOf(value: unknown): string {
  const { kind = '' } = (value ?? {}) as { readonly kind?: unknown };
  return String(kind);
}

/** Kind and name, such as `ConfigMap settings`. The name is omitted if the document has none. */
function nameOf(value: unknown): string {
  const { metadata } = (value ?? {}) as { metadata?: { name?: unknown } };
  return `${kindOf(value) || 'a document without a kind'} ${metadata?.name ?? ''}`.trim();
}
