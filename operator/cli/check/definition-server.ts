import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { importTestKit, testKitFor } from '../load-test-kit.ts';

/** The part of `ApiServer` in `@chancery/testing` that is used here. */
interface ServerClass {
  start(options: { readonly workloads: false }): Promise<{
    create(object: KubernetesObject): unknown;
    close(): Promise<void>;
  }>;
}

/** Imports the test kit. */
export type LoadDefinitionServer = () => Promise<{ readonly ApiServer: ServerClass }>;

type DefinitionProblems = (definition: object) => readonly string[];

/**
 * Calls `work` with a check of definitions by an API server in this process, or with none when the test kit is not
 * installed.
 */
export async function withDefinitionServer<T>(
  work: (definitionProblems: DefinitionProblems | undefined) => T,
  load: LoadDefinitionServer = importTestKit as LoadDefinitionServer,
): Promise<T> {
  let kit: Awaited<ReturnType<LoadDefinitionServer>>;
  try {
    kit = await testKitFor('check bundle', load);
  } catch (error) {
    if (error instanceof ConfigurationError) return work(undefined);
    throw error;
  }
  const server = await kit.ApiServer.start({ workloads: false });
  try {
    return work((definition) => {
      try {
        server.create(definition as KubernetesObject);
        return [];
      } catch (error) {
        return [messageOf(error)];
      }
    });
  } finally {
    await server.close();
  }
}
