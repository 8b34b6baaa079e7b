import { posix } from 'node:path';
import { textFiles } from '../../core/text/text-files.ts';

/** One file in the folder of package.json. */
export interface ProjectFile {
  /** The file's name. */
  readonly path: string;
  readonly text: string;
}

/** The folder in the image to which the Dockerfile copies the folder of package.json. */
const FOLDER = '/app';

const templates = textFiles(new URL('./', import.meta.url));

/**
 * The Dockerfile and the .dockerignore of a project, for the folder of its package.json. The image
 * runs `chancery run`. It contains the project's packages and its unbuilt sources, and no other
 * files of the project.
 *
 * @param modules - paths of the operator's modules, relative to package.json, with `/` as the
 * separator. The top folder of each module is copied as a whole. For a module beside package.json,
 * all files in this folder with the same extension are copied.
 */
export function projectImageFiles(
  modules: readonly string[] = ['src/operator.ts'],
): readonly ProjectFile[] {
  return ['Dockerfile', '.dockerignore'].map((path) => ({ path, text: filled(path, modules) }));
}

/** The path of a module in the image that `projectImageFiles` describes. */
export function projectModulePath(module: string): string {
  return `${FOLDER}/${module}`;
}

/** Fills a template. A line that contains `@source@` is repeated for each source. */
function filled(path: string, modules: readonly string[]): string {
  const sources = [...new Set(modules.map(sourceOf))];
  const forSource = (line: string, source: string): string =>
    line.replaceAll('@source@', () => source).replaceAll('@target@', () => targetOf(source));
  const command = modules.map((module) => JSON.stringify(projectModulePath(module))).join(', ');
  return templates(path)
    .replace(/^.*@source@.*\n/gm, (line) =>
      sources.map((source) => forSource(line, source)).join(''),
    )
    .replaceAll('@modules@', () => `[${command}]`);
}

/** The files to copy for a module: `src` for `src/operator.ts`, `*.ts` for `operator.ts`. */
function sourceOf(module: string): string {
  const [top = '', ...rest] = module.split('/');
  return rest.length > 0 ? top : `*${posix.extname(module)}`;
}

/** The target of a `COPY` line. A folder keeps its name. Files are copied to the working directory. */
function targetOf(source: string): string {
  return source.startsWith('*') ? './' : source;
}
