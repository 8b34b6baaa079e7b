import { enableCompileCache } from 'node:module';
import { ConfigurationError } from '../core/errors.ts';
import { resolveToolkit } from './toolkit-hooks.ts';

/** The package with the API server. The operator image does not contain it. */
const TEST_KIT = '@chancery/testing';

/** Imports the test kit. Most commands do not need it. */
export function importTestKit(): Promise<unknown> {
  // Compiling some 300 files is most of the start time. Node caches compiled code in the folder for temporary
  // files, or in NODE_COMPILE_CACHE. If it cannot write there, it starts without a cache.
  enableCompileCache();
  resolveToolkit();
  return import(TEST_KIT);
}

/**
 * Loads the test kit for a command.
 *
 * @throws ConfigurationError `CONFIG` that says how to install it, when it is not installed.
 */
export async function testKitFor<T>(command: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ConfigurationError(
      `this installation has no API server: it is in the package ${TEST_KIT}, which is not installed; ` +
        `run npm install --save-dev ${TEST_KIT}, or without a project ` +
        `npx -p chancery -p ${TEST_KIT} chancery ${command}`,
      { cause: error },
    );
  }
}

/** True when the test kit itself is missing, and not a module that it imports. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${TEST_KIT}'`);
}
