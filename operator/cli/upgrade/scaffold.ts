import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { addedKind, withListed } from '../create/added-kind.ts';
import { createArguments } from '../create/arguments.ts';
import { CREATE } from '../create/table.ts';
import { isInside, RECORD_FILE, type ScaffoldRecord, textsOf } from '../files/scaffold-record.ts';
import { parseFlags } from '../flags.ts';
import { initArguments } from '../init/arguments.ts';
import type { PackageSpecs } from '../init/packages.ts';
import { commonFiles, projectFiles } from '../init/project.ts';
import { INIT } from '../init/table.ts';

type Texts = ScaffoldRecord['files'];

/**
 * The files that this version writes for the recorded command lines, keyed by path. The definitions
 * of kinds that existed before the project are not recorded. The files for such kinds cannot be
 * written again, so they are returned as they were recorded.
 *
 * @throws ConfigurationError `CONFIG` for a command line that this version would refuse.
 */
export function scaffoldOf({ commands, files }: ScaffoldRecord, packages: PackageSpecs): Texts {
  let scaffold: Texts = {};
  for (const [name, ...args] of commands) {
    try {
      if (name === 'init') scaffold = { ...scaffold, ...initialized(args, files, packages) };
      else if (name === 'create') scaffold = withKind(args, scaffold);
      else throw new ConfigurationError('only init and create are recorded');
    } catch (error) {
      const words = [name, ...args].join(' ');
      throw new ConfigurationError(
        `${RECORD_FILE} has the command ${JSON.stringify(words)}, which cannot be repeated: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }
  return scaffold;
}

function initialized(args: readonly string[], recorded: Texts, packages: PackageSpecs): Texts {
  const parsed = initArguments(parseFlags(args, INIT));
  if (parsed.from === undefined) return textsOf(projectFiles(parsed, packages));
  return { ...recorded, ...textsOf(commonFiles(parsed.name, packages)) };
}

function withKind(args: readonly string[], scaffold: Texts): Texts {
  const parsed = createArguments(parseFlags(args, CREATE));
  if (!isInside(parsed.module)) {
    throw new ConfigurationError(`${parsed.module} is not in the project`);
  }
  const parts = parsed.module.split('/');
  const module = parts.at(-1) ?? '';
  const sources = parts.slice(0, -1).join('/') || '.';
  const added = addedKind(parsed, { sources, module });
  return withListed({ ...scaffold, ...textsOf(added.files) }, added.module, added.controller);
}
