// Saving a file on the visitor's disk.

/** The page may say of what all its files are. */
export function saveFile(blob, name) {
  const begins = document.querySelector("[data-files-begin]")?.dataset.filesBegin ?? "";
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(blob), download: begins + name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
