/** A text message as the gateway keeps it. */
export interface Message {
  jobId: string;
  clientTxnId: string;
  sender: string;
  recipient: string;
  text: string;
  parts: number;
  cost: number;
}
