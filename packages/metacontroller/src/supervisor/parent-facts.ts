import {
  type Client,
  type KubernetesObject,
  type Log,
  OperatorError,
  type Resource,
  resourceName,
} from 'chancery';
import {
  customResourceDefinitions,
  isBuiltInGroup,
  type StatusFields,
  type StructuralSchema,
  statusFieldsOf,
} from 'chancery/internal';

const DEFINITIONS = customResourceDefinitions as Resource as Resource<DeclaredVersions>;

/**
 * The status fields of a resource that the engine may write, according to its definition. Only
 * custom resources have a definition. Undefined if there is no definition, or if it cannot be read.
 * Failures are then reported only by Events.
 */
export async function readStatusFields(
  resource: Resource,
  { client, log }: { readonly client: Pick<Client, 'find'>; readonly log: Log },
  signal: AbortSignal,
): Promise<StatusFields | undefined> {
  if (isBuiltInGroup(resource)) return undefined;
  const name = resourceName(resource);
  try {
    const definition = await client.find(DEFINITIONS, { name }, { signal });
    return definition && statusFieldsOf(schemaOf(definition, resource.version));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperatorError)) throw error;
    log.warn(
      { err: error, definition: name },
      'definition cannot be read, parents get no conditions',
    );
    return undefined;
  }
}

/** The fields of a definition that this file reads. */
interface DeclaredVersions extends KubernetesObject {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
    }[];
  };
}

/** @param version - the served version that is watched. */
function schemaOf({ spec }: DeclaredVersions, version: string): StructuralSchema | undefined {
  return spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}
