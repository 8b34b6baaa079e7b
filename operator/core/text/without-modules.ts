/**
 * Scripts of a page as one script. They are modules, for the compiler and for tests. In the page they stand one after the
 * other in one module, because a page without requests cannot import. So each name at the top of a file is unique.
 *
 * @param scripts - what a script imports stands before it.
 */
export function withoutModules(scripts: readonly string[]): string {
  return scripts
    .map((script) =>
      script
        .replaceAll(/^import (?:[^;]*? from )?'\.[^']*';$/gm, '')
        .replaceAll(/^export (?=(?:async )?(?:function|class|const|let)\b)/gm, ''),
    )
    .join('\n');
}
