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
 * The fields of the status of a resource that the engine may write by itself, which its definition says. Only custom
 * resources have a definition. Undefined without one, and when it cannot be read: then failures are told by Events only.
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

/** A definition, as far as it is read here. */
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
