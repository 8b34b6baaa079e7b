import { type KubernetesObject, messageOf } from 'chancery';
import { isPackageInstalled, loadPackage } from 'chancery/internal';

/** The members of `ApiServer` in `@chancery/testing` that this file uses. */
interface ServerClass {
  start(options: { readonly workloads: false }): Promise<{
    create(object: KubernetesObject): unknown;
    close(): Promise<void>;
  }>;
}

const TEST_KIT = '@chancery/testing';

type DefinitionProblems = (definition: object) => readonly string[];

/**
 * Calls `work` with a function that checks definitions on an API server in this process. The
 * function is undefined when the test kit is not installed.
 */
export async function withDefinitionServer<T>(
  work: (definitionProblems: DefinitionProblems | undefined) => T,
  hasTestKit: boolean = isPackageInstalled(TEST_KIT),
): Promise<T> {
  if (!hasTestKit) return work(undefined);
  const kit = (await loadPackage(TEST_KIT, 'check bundle')) as { readonly ApiServer: ServerClass };
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
