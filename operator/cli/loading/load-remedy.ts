import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A remedy for the author of a module that Node refuses to load. Undefined when Node's message is
 * clear enough. One sentence without a full stop.
 *
 * @param error - the error of the import.
 * @param file - the absolute path of the module that should be loaded.
 */
export function loadRemedy(error: unknown, file: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const remedy of REMEDIES) {
    const text = remedy(error as NodeJS.ErrnoException & { readonly url?: string }, file);
    if (text !== undefined) return text;
  }
  return undefined;
}

type Remedy = (
  error: NodeJS.ErrnoException & { readonly url?: string },
  file: string,
) => string | undefined;

/** All remedies. The first one that recognizes the error is used. */
const REMEDIES: readonly Remedy[] = [
  commonJs,
  requireCall,
  earlierVersion,
  typeAsValue,
  typescriptSyntax,
  missingExtension,
  missingPackage,
];

/** Matches V8's message for `import` and `export` in a file that Node treats as CommonJS. */
const MODULE_SYNTAX = /^Cannot use import statement outside a module|^Unexpected token 'export'/;

function commonJs({ message }: Error, file: string): string | undefined {
  const isCommonJs = /\.c[jt]s$/.test(file);
  if (isCommonJs && (MODULE_SYNTAX.test(message) || message.includes("'chancery"))) {
    return `the name ${basename(file)} makes it CommonJS: name it .ts, .mts, .js or .mjs, and write import and export`;
  }
  if (!MODULE_SYNTAX.test(message)) return undefined;
  const found = nearestPackageJson(dirname(file));
  const where = found === undefined ? 'a package.json beside the module' : found;
  return `Node takes it for CommonJS: write "type": "module" into ${where} (npm pkg set type=module)`;
}

function nearestPackageJson(folder: string): string | undefined {
  const path = join(folder, 'package.json');
  if (existsSync(path)) return path;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestPackageJson(parent);
}

/** Matches Node's message about a name that exists only in CommonJS. */
const COMMON_JS_NAME = /^(require|module|exports|__dirname|__filename) is not defined/;

const INSTEAD: Readonly<Record<string, string>> = {
  require: "import { controller } from 'chancery' instead of require('chancery')",
  module: 'export default instead of module.exports',
  exports: 'export const NAME instead of exports.NAME',
  __dirname: 'import.meta.dirname instead of __dirname',
  __filename: 'import.meta.filename instead of __filename',
};

function requireCall({ message }: Error): string | undefined {
  const [, name] = COMMON_JS_NAME.exec(message) ?? [];
  const instead = name === undefined ? undefined : INSTEAD[name];
  return instead && `the file is an ES module: write ${instead}`;
}

const NO_EXPORT = /^The requested module '([^']+)' does not provide an export named '([^']+)'/;

/**
 * Explains that a module is written for an earlier version of the toolkit, in which reconcilers
 * returned `AWAIT_CHANGE` when they had nothing to wait for.
 */
function earlierVersion({ message }: Error): string | undefined {
  const [, specifier, name] = NO_EXPORT.exec(message) ?? [];
  if (specifier !== 'chancery' || name !== 'AWAIT_CHANGE') return undefined;
  return (
    'the file was written for an earlier chancery: return nothing instead of AWAIT_CHANGE, and write ' +
    'reconcile(object, context), which gets the key as context.key; what it did for an object that is gone ' +
    'goes to gone(key, context)'
  );
}

function typeAsValue({ message }: Error): string | undefined {
  const [, specifier, name] = NO_EXPORT.exec(message) ?? [];
  if (name === undefined || name === 'default') return undefined;
  const elsewhere = specifier === 'chancery' ? ' and whether chancery/low-level exports it' : '';
  return (
    `if ${name} is a type, write import type { ${name} } from '${specifier}', because types are gone ` +
    `when Node loads a file; otherwise look at the spelling${elsewhere}. tsc finds both with ` +
    '"verbatimModuleSyntax": true in tsconfig.json'
  );
}

/**
 * Patterns for Node's message about TypeScript syntax that does not disappear when types are
 * removed, each with the syntax to use instead.
 */
const ERASABLE: readonly (readonly [RegExp, string])[] = [
  [/\benum\b/, "a constant object, const Size = { Small: 'Small' } as const, or a union of texts"],
  [/\bnamespace\b|\bmodule\b/, 'a file of its own with exports'],
  [/parameter propert/, 'a field that the constructor sets: this.name = name'],
  [/import\b.*=|export\b.*=/, 'import … from and export default'],
];

function typescriptSyntax({ code, message }: NodeJS.ErrnoException): string | undefined {
  if (code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return undefined;
  const [, instead] = ERASABLE.find(([pattern]) => pattern.test(message)) ?? [];
  return (
    `Node removes types and translates nothing else: write ${instead ?? 'it in JavaScript'}. ` +
    'tsc finds such places with "erasableSyntaxOnly": true in tsconfig.json'
  );
}

/**
 * The extensions to try for an import without an extension, or with the extension of the compiled
 * file.
 */
const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'];

const IMPORTED_FROM = / imported from (\S.*)$/;

function missingExtension(error: Parameters<Remedy>[0]): string | undefined {
  const { code, message, url } = error;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ERR_UNSUPPORTED_DIR_IMPORT') return undefined;
  if (!url?.startsWith('file:')) return undefined;
  const missing = fileURLToPath(url);
  const bare = missing.replace(/\/$/, '');
  const stem = bare.replace(/\.[mc]?js$/, '');
  const found = [...new Set([bare, stem])]
    .flatMap((start) => ENDINGS.map((ending) => `${start}${ending}`))
    .find((path) => existsSync(path));
  if (found === undefined) return undefined;
  const [, importer] = IMPORTED_FROM.exec(message) ?? [];
  const written = importer === undefined ? found : relativeTo(importer, found);
  return `write the ending of the file: '${written}'`;
}

function relativeTo(importer: string, path: string): string {
  const folder = `${dirname(resolve(importer))}/`;
  return path.startsWith(folder) ? `./${path.slice(folder.length)}` : path;
}

const NO_PACKAGE = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/;

function missingPackage({ code, message }: NodeJS.ErrnoException): string | undefined {
  const [, name] = NO_PACKAGE.exec(message) ?? [];
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return undefined;
  return `install it: npm install ${name}`;
}
