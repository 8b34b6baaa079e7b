import type { Client } from '../../client/client.ts';
import type { Log } from '../../controller/reconciler.ts';
import { OperatorError } from '../../core/errors.ts';
import { customResourceDefinitions } from '../../model/builtin.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isBuiltInGroup, type Resource, resourceName } from '../../model/resource.ts';
import type { StructuralSchema } from '../../model/structural-schema.ts';

const DEFINITIONS = customResourceDefinitions as Resource as Resource<DeclaredVersions>;

/**
 * Whether a resource has a field `status.conditions`, which its definition says. Only custom resources have a definition.
 * False when the definition cannot be read: then conditions are not written.
 */
export async function hasConditions(
  resource: Resource,
  { client, log }: { readonly client: Pick<Client, 'find'>; readonly log: Log },
  signal: AbortSignal,
): Promise<boolean> {
  if (isBuiltInGroup(resource)) return false;
  const name = resourceName(resource);
  try {
    const definition = await client.find(DEFINITIONS, { name }, { signal });
    return definition !== undefined && declaresConditions(definition, resource.version);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperatorError)) throw error;
    log.warn(
      { err: error, definition: name },
      'definition cannot be read, parents get no conditions',
    );
    return false;
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
function declaresConditions({ spec }: DeclaredVersions, version: string): boolean {
  const declared = spec.versions.find(({ name }) => name === version);
  const schema = declared?.schema?.openAPIV3Schema;
  const status = schema?.properties?.status;
  return (
    keepsUnknown(schema) || keepsUnknown(status) || status?.properties?.conditions !== undefined
  );
}

function keepsUnknown(schema: StructuralSchema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}
