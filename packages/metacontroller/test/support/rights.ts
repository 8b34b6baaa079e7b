/** The rights that `chancery generate` would compute for the controllers of a test. */
import type { AccessDeclaration } from '../../../../operator/controller/access-declaration.ts';
import type { KubernetesObject } from '../../../../operator/index.ts';
import { knownKinds } from '../../../../operator/model/known-kinds.ts';
import type { FunctionsFile } from '../../src/call/functions-file.ts';
import { parseController } from '../../src/parse/parse-controller.ts';
import { metacontrollerAccess } from '../../src/rights/metacontroller-access.ts';

export interface RightsOf {
  readonly controllers: readonly KubernetesObject[];
  /** Parsed CustomResourceDefinitions, of parents above all. */
  readonly definitions: readonly unknown[];
  readonly functions: FunctionsFile | undefined;
  readonly ownNamespace: string;
  readonly applyStrategy: 'dynamic-apply' | 'server-side-apply';
}

/** @throws Error when a resource is not known: a test gives the definitions of all. */
export function declarationsFor(given: RightsOf): readonly AccessDeclaration[] {
  const { controllers, definitions, functions, ownNamespace, applyStrategy } = given;
  const known = knownKinds(definitions);
  const { declarations, unknown } = metacontrollerAccess(controllers.map(parseController), {
    resolve: ({ apiVersion, resource }) => known.ofReference(resource, apiVersion),
    hasStatus: known.hasStatus,
    functions,
    ownNamespace,
    applyStrategy,
  });
  if (unknown.length > 0) throw new Error(`not known: ${unknown.join(', ')}`);
  return declarations;
}
