      *****************************************************************
      * LOANSRV: answers loan requests.
      *
      * A batch program like any other: it reads records until there
      * are no more, and writes one for each. The batch server
      * (quaymaster workload responder) hands it the messages of a
      * queue and puts what it writes on the reply-to queue.
      *
      * The files must be SEQUENTIAL and assigned to these names:
      * GnuCOBOL then reads and writes each record at once.
      *****************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOANSRV.

       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT REQUESTS ASSIGN TO "/dev/stdin"
               ORGANIZATION IS SEQUENTIAL
               FILE STATUS IS REQUEST-STATUS.
           SELECT REPLIES ASSIGN TO "/dev/stdout"
               ORGANIZATION IS SEQUENTIAL.

       DATA DIVISION.
       FILE SECTION.
       FD  REQUESTS.
           COPY LOANREQ.
       FD  REPLIES.
           COPY LOANREP.

       WORKING-STORAGE SECTION.
       01  REQUEST-STATUS            PIC XX.
           88 REQUEST-READ           VALUE "00".
       01  RATE                      PIC S9(4) COMP.
       01  INTEREST                  PIC 9(9)V9(4) COMP-3.
       01  PAYMENT                   PIC 9(7)V99   COMP-3.
       01  NEXT-REMARK               PIC 9.
       01  REMARK-TEXT               PIC X(18).

       PROCEDURE DIVISION.
       MAIN-LOGIC.
           OPEN INPUT REQUESTS OUTPUT REPLIES
           READ REQUESTS
           PERFORM UNTIL NOT REQUEST-READ
               PERFORM ANSWER-REQUEST
               WRITE LOAN-REPLY
               READ REQUESTS
           END-PERFORM
           CLOSE REQUESTS REPLIES
           STOP RUN.

       ANSWER-REQUEST.
           INITIALIZE LOAN-REPLY
           MOVE 1 TO NEXT-REMARK
           MOVE CUSTOMER-NAME OF LOAN-REQUEST
               TO CUSTOMER-NAME OF LOAN-REPLY
           IF MONTHS = 0
               MOVE "N" TO APPROVED
               MOVE "NO MONTHS" TO REMARK-TEXT
               PERFORM ADD-REMARK
           ELSE
               PERFORM CALCULATE-PAYMENT
               PERFORM DECIDE
           END-IF.

      * Simple interest at 4.25 %, less a quarter for short loans.
       CALCULATE-PAYMENT.
           MOVE 425 TO RATE
           IF MONTHS NOT > 24
               SUBTRACT 25 FROM RATE
               MOVE "SHORT LOAN" TO REMARK-TEXT
               PERFORM ADD-REMARK
           END-IF
           COMPUTE INTEREST =
               LOAN-AMOUNT * RATE * MONTHS / 120000
           COMPUTE PAYMENT ROUNDED =
               (LOAN-AMOUNT + INTEREST) / MONTHS
           MOVE RATE TO RATE-BP
           MOVE PAYMENT TO MONTHLY-PAYMENT.

      * At most a third of what comes in may go out.
       DECIDE.
           IF PAYMENT * 3 > INCOME
               MOVE "N" TO APPROVED
               MOVE "INCOME TOO LOW" TO REMARK-TEXT
           ELSE
               MOVE "Y" TO APPROVED
               MOVE "RATE FIXED" TO REMARK-TEXT
           END-IF
           PERFORM ADD-REMARK.

       ADD-REMARK.
           MOVE REMARK-TEXT TO REMARK(NEXT-REMARK)
           ADD 1 TO NEXT-REMARK.
