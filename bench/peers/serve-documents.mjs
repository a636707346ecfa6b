/** The message loop of every peer: prints each received document and replies with the size of the PDF. */

/** @param {(document: any) => Promise<Uint8Array>} print @param {() => Promise<unknown>} close */
export function serveDocuments(print, close) {
  process.on('message', async ({ id, document, close: over }) => {
    if (over) {
      await close();
      process.exit(0);
    }
    try {
      const pdf = await print(document);
      if (Buffer.from(pdf.subarray(0, 5)).toString() !== '%PDF-') throw new Error('the peer returned no PDF');
      process.send({ id, bytes: pdf.length });
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) });
    }
  });
  process.send({ ready: true });
}
