'use strict';
// fs.openAsBlob: a Blob that reads its file when it is asked.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'blob-'));
const file = path.join(root, 'file');
const refused = (error) => console.log(error.name, error.code, error.message);

(async () => {
  fs.writeFileSync(file, 'hello world');
  const blob = await fs.openAsBlob(file, { type: 'Text/Plain' });
  console.log(blob, await blob.text(), (await blob.bytes()).length);
  const part = blob.slice(6, 11, 'x/y');
  console.log(part, await part.text());
  for await (const chunk of blob.stream()) console.log(Buffer.from(chunk).toString());
  const both = new Blob([blob, '!', part]);
  console.log(both.size, await both.text(), await both.slice(9, 14).text());
  await fs.promises.writeFile(file, 'another');
  for (const one of [blob, part, both]) {
    await one.text().catch(refused);
    await one.arrayBuffer().catch(refused);
  }
  await (async () => { for await (const chunk of blob.stream()) console.log(chunk); })().catch(refused);
  for (const args of [[path.join(root, 'none')], [1], [file, 1], [file, { type: 1 }]]) {
    try {
      await fs.openAsBlob(...args);
    } catch (error) {
      refused(error);
    }
  }
  try {
    structuredClone(blob);
  } catch (error) {
    refused(error);
  }
  fs.rmSync(root, { recursive: true });
})();
