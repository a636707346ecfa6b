/** The file cannot be printed as a photo; `message` is a public clause ("the file is a web page"). */
export class PhotoUnusable extends Error {
  override readonly name = 'PhotoUnusable';
}
