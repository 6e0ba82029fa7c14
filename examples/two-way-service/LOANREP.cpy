      * What the program answers: 82 bytes.
       01  LOAN-REPLY.
           05 CUSTOMER-NAME          PIC X(20).
           05 APPROVED               PIC X.
           05 MONTHLY-PAYMENT        PIC 9(7)V99  COMP-3.
           05 REMARKS.
              10 REMARK              PIC X(18) OCCURS 3 TIMES.
           05 RATE-BP                PIC S9(4)    COMP.
